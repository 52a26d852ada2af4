import type { UnitEntry } from '../document/document.ts';
import type { StepContext, StepWork } from '../engine/step.ts';
import type { PlannedStep } from '../steps/kind/step-kind.ts';
import { systemdRuns } from '../steps/tools/systemd.ts';

const UNITS = '/etc/systemd/system';
const RESTART_MS = 120_000;

/** The step that sets units up; those that run with another text than they have now are restarted afterwards. */
export function restarting({ spec }: PlannedStep, work: StepWork): StepWork {
  const { entries } = spec as { entries: UnitEntry[] };
  return {
    ...work,
    async run(context) {
      const others: string[] = [];
      for (const entry of entries) if (await isOther(context, entry)) others.push(entry.name);
      const result = await work.run(context);
      if (!result.done || !(await systemdRuns(context.host))) return result;
      for (const name of others) await restart(context, name);
      return result;
    },
  };
}

async function isOther({ host }: StepContext, { name, content, dropIns }: UnitEntry): Promise<boolean> {
  const texts = [
    ...(content === undefined ? [] : [{ path: `${UNITS}/${name}`, content }]),
    ...dropIns.map((dropIn) => ({ path: `${UNITS}/${name}.d/${dropIn.name}`, content: dropIn.content })),
  ];
  for (const { path, content: wanted } of texts) {
    const there = await host.files.readIfPresent(path).catch(() => undefined);
    if (there?.toString('utf8') !== wanted.reveal()) return true;
  }
  return false;
}

async function restart({ host, finding, signal }: StepContext, name: string): Promise<void> {
  const { exitStatus, stderr } = await host.processes.run({
    argv: ['systemctl', 'try-restart', '--', name],
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
