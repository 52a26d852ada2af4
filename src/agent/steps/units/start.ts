import type { UnitEntry, UnitNeeds } from '../../document/document.ts';
import type { StepContext } from '../../engine/step.ts';
import { showUnits } from '../../host/show-units.ts';
import { runTool } from '../../tools/run-tool.ts';
import { isSystemdRunning } from '../../tools/systemd.ts';
import type { Work } from '../kind/step-kind.ts';
import { eachEntry } from '../tools/each-entry.ts';

const START_MS = 120_000;
const ASK_MS = 10_000;
const LOOK_AGAIN_MS = 500;
/** A unit that is still starting after that long keeps kubeadm from nothing: it has only to come first. */
const PATIENCE_MS = 120_000;

/**
 * Starts what the boot would have started, had the units been there. Nothing runs below a root directory, or
 * without systemd.
 */
export const startUnits: Work<StartSpec> = ({ required, wanted, others, awaited }, { callers }) => ({
  ...(callers?.units.some((name) => others.includes(name) || wanted.includes(name))
    ? { provedBy: 'node' }
    : {}),
  async run(context) {
    const { host, finding } = context;
    if (!(await isSystemdRunning(host))) return { done: true, message: 'systemd does not run here' };
    await startWithoutWaiting(context, others);
    for (const name of wanted) {
      const problem = await start(context, name).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (problem instanceof Error)
        await finding({ severity: 'warning', code: 'UnitNotStarted', message: problem.message });
    }
    const result = await eachEntry(required, context, async (name) => {
      await start(context, name);
      return `${name} up`;
    });
    if (!result.done) return result;
    for (const name of awaited) await untilNotStarting(context, name);
    return { done: true, message: `${required.length + wanted.length + others.length} started` };
  },
});

async function start({ host, signal }: StepContext, name: string): Promise<void> {
  await runTool(host, ['systemctl', 'start', '--', name], {
    doing: `start ${name}`,
    code: 'UnitNotStarted',
    timeoutMs: START_MS,
    signal,
  });
}

/** Some of them may wait for the end of this boot, and with it for the agent. */
async function startWithoutWaiting({ host, finding }: StepContext, names: string[]): Promise<void> {
  for (const name of names) {
    const { exitStatus, stderr } = await host.processes.run({
      argv: ['systemctl', 'start', '--no-block', '--', name],
      env: { LC_ALL: 'C' },
      timeoutMs: ASK_MS,
    });
    if (exitStatus === 0) continue;
    const message = `${name} could not be started: ${stderr.trim().split('\n').at(-1) ?? ''}`;
    await finding({ severity: 'warning', code: 'UnitNotStarted', message });
  }
}

async function untilNotStarting({ host, signal }: StepContext, name: string): Promise<void> {
  const end = host.clock.monotonic() + PATIENCE_MS;
  while (!signal.aborted && host.clock.monotonic() < end) {
    const [unit] = (await showUnits(host, [name], ['ActiveState'], ASK_MS)) ?? [];
    if (unit?.get('ActiveState') !== 'activating') return;
    await host.clock.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined);
  }
}

/** Units to start, in groups by what becomes of the step when one does not start. */
export interface StartSpec {
  /** Started, and waited for: what kubeadm requires. A failure fails the step. */
  required: string[];
  /** Started, and waited for; a failure is a finding. */
  wanted: string[];
  /** Started without waiting. */
  others: string[];
  /** Waited for if they are starting. */
  awaited: string[];
}

const KUBEADM = 'kubeadm.service';

/**
 * When the document's units are started: before kubeadm what it requires, wants or comes after, and without
 * waiting what it does not know; after it what is ordered behind it. systemd would have started all of them
 * with the boot, which is over.
 */
export function startOrder(
  units: readonly UnitEntry[],
  { requires, wants, after }: UnitNeeds,
): { before: StartSpec; after: string[] } {
  const enabled = [...new Set(units.filter(isStarted).map(({ name }) => name))];
  const behind = new Set(units.filter(isAfterKubeadm).map(({ name }) => name));
  const later = enabled.filter((name) => behind.has(name));
  const wanted = [...new Set([...wants, ...enabled.filter((name) => after.includes(name) || isMount(name))])];
  const known = [...requires, ...wanted];
  return {
    before: {
      required: requires,
      wanted: wanted.filter((name) => !requires.includes(name) && !behind.has(name)),
      others: enabled.filter((name) => !known.includes(name) && !behind.has(name)),
      // A target is up or not; nobody is starting it.
      awaited: after.filter((name) => !known.includes(name) && !name.endsWith('.target')),
    },
    after: later.filter((name) => !requires.includes(name)),
  };
}

/** A template without an instance cannot be started. */
function isStarted({ name, enabled, masked }: UnitEntry): boolean {
  return enabled === true && masked !== true && !/@\./.test(name);
}

function isMount(name: string): boolean {
  return /\.(?:mount|swap)$/.test(name);
}

function isAfterKubeadm({ content, dropIns }: UnitEntry): boolean {
  const texts = [content, ...dropIns.map((dropIn) => dropIn.content)].flatMap((text) => text?.reveal() ?? []);
  return texts.some((text) =>
    [...text.matchAll(/^[^\S\n]*(?:After|Requires|BindsTo|Requisite)\s*=(.*)$/gm)].some(([, names = '']) =>
      names.split(/\s+/).includes(KUBEADM),
    ),
  );
}
