import type { FileEntry, UnitEntry } from '../../document/document.ts';
import type { StepContext, StepWork } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import type { PlannedStep } from '../../steps/kind/step-kind.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';

const UNITS = '/etc/systemd/system';
const RESTART_MS = 120_000;
/** A unit, or a drop-in of it, where an administrator's lie. To restart a mount or a target would take more along than it. */
const UNIT_FILE =
  /^\/(?:etc|run|usr\/local\/lib|usr\/lib|lib)\/systemd\/system\/([^/]+\.(?:service|socket|timer|path))(?:\.d\/[^/]+\.conf)?$/;
/** What is at work just now, or waits for it. */
const OWN = /^slipway(?:-[a-z]+)?\.service$/;

/** A file, and the unit that runs by it. */
type UnitFile = readonly [path: string, name: string];

/** The step that sets units up; those that run with another text than they have now are restarted afterwards. */
export function restarting({ spec }: PlannedStep, work: StepWork): StepWork {
  const { entries } = spec as { entries: UnitEntry[] };
  const files = entries.flatMap(({ name, content, dropIns }): UnitFile[] => [
    ...(content === undefined ? [] : [[`${UNITS}/${name}`, name] as const]),
    ...dropIns.map((dropIn): UnitFile => [`${UNITS}/${name}.d/${dropIn.name}`, name]),
  ]);
  return thenRestarting(files, work, async () => undefined);
}

/** The same of a step that writes files, where there are units or drop-ins among them; systemd reads them first. */
export function restartingByFiles({ spec }: PlannedStep, work: StepWork): StepWork {
  const { entries = [], files: written = entries } = spec as Partial<
    Record<'entries' | 'files', FileEntry[]>
  >;
  const files = written.flatMap(({ path }): UnitFile[] => {
    const name = UNIT_FILE.exec(path)?.[1];
    return name === undefined ? [] : [[path, name]];
  });
  return thenRestarting(files, work, async ({ host, signal }) => {
    await host.processes.run({ argv: ['systemctl', 'daemon-reload'], timeoutMs: RESTART_MS, signal });
  });
}

function thenRestarting(
  files: readonly UnitFile[],
  work: StepWork,
  reload: (context: StepContext) => Promise<void>,
): StepWork {
  if (files.length === 0) return work;
  return {
    ...work,
    async run(context) {
      const before = await texts(context.host, files);
      const result = await work.run(context);
      if (!result.done || !(await isSystemdRunning(context.host))) return result;
      const after = await texts(context.host, files);
      const others = files.filter((_, index) => before[index] !== after[index]).map(([, name]) => name);
      if (others.length > 0) await reload(context);
      for (const name of new Set(others)) if (!OWN.test(name)) await restart(context, name);
      return result;
    },
  };
}

function texts(host: Host, files: readonly UnitFile[]): Promise<(string | undefined)[]> {
  return Promise.all(
    files.map(async ([path]) => {
      const there = await host.files.readIfPresent(path).catch(() => undefined);
      return there?.toString('utf8');
    }),
  );
}

async function restart({ host, finding, signal }: StepContext, name: string): Promise<void> {
  const { exitStatus, stderr } = await host.processes.run({
    // Of a template unit, systemd restarts the instances that run.
    argv: ['systemctl', 'try-restart', '--', name.replace('@.', '@*.')],
    env: { LC_ALL: 'C' },
    timeoutMs: RESTART_MS,
    signal,
  });
  if (exitStatus === 0) return;
  const why = stderr.trim().split('\n').at(-1) ?? '';
  await finding({
    severity: 'warning',
    code: 'UnitNotStarted',
    message: `${name} was not restarted: ${why}`,
  });
}
