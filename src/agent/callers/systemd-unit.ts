import type { Host } from '../host/host.ts';
import { showUnits, type UnitProperties } from '../host/show-units.ts';

/** Nobody waits longer for a reason than for the news itself. */
const ASK_MS = 1000;
/** How often to look for what a run has printed, and how long to wait after a look that found nothing. */
const LOOKS = 12;
const LOOK_AGAIN_MS = 500;
/** Several times what one attempt of kubeadm prints. */
const OUTPUT_LINES = 4000;

const PROPERTIES = [
  'ActiveState',
  'SubState',
  'Result',
  'ExecMainCode',
  'ExecMainStatus',
  'InvocationID',
  'NRestarts',
  'RestartUSec',
  'ExecMainStartTimestampMonotonic',
  'ExecMainExitTimestampMonotonic',
  'Id',
  'Job',
  'TriggeredBy',
  'UnitFileState',
];

/** A service as systemd sees it. */
export interface UnitState {
  name: string;
  /** `activating`, `active`, `deactivating`, `inactive`, `failed` ... */
  active: string;
  /** More exactly: `start`, `auto-restart`, `dead` ... */
  sub: string;
  /** Why it failed: `exit-code`, `signal`, `core-dump`, `oom-kill`, `timeout`, `start-limit-hit` ...; else `success`. */
  result: string;
  /** How its main process ended, once it has: an exit status, or the number of a signal. */
  end: { how: 'exited' | 'signalled'; status: number } | undefined;
  /** Names one run of the service; empty where it has not run, or ended well and was unloaded. */
  invocation: string;
  /** How often systemd has started it again by itself. */
  restarts: number;
  /** Milliseconds since boot; 0 where there was none. */
  startedAt: number;
  endedAt: number;
  /** How long systemd waits before it starts it again. */
  restartMs: number;
  /** systemd has a job for it: it is about to start or to stop. */
  hasJob: boolean;
  /** Timers, paths and sockets that start it. */
  triggeredBy: string[];
  /** A boot starts it. */
  isEnabled: boolean;
}

/** Undefined where systemd does not answer. */
export async function unitState(host: Host, unit: string): Promise<UnitState | undefined> {
  return (await unitStates(host, [unit]))?.[0];
}

/**
 * All units that systemd has loaded by these names, which may have a `*`; one that it does not know is `inactive`.
 *
 * @returns undefined where systemd does not answer
 */
export async function unitStates(host: Host, names: readonly string[]): Promise<UnitState[] | undefined> {
  return (await showUnits(host, names, PROPERTIES, ASK_MS))?.map(stateOf);
}

function stateOf(said: UnitProperties): UnitState {
  const text = (name: string) => said.get(name) ?? '';
  const number = (name: string) => Number(text(name)) || 0;
  // The kernel's CLD_EXITED is 1; what follows are signals, with and without a core.
  const code = number('ExecMainCode');
  const status = number('ExecMainStatus');
  return {
    name: text('Id'),
    active: text('ActiveState'),
    sub: text('SubState'),
    result: text('Result'),
    end: code === 0 ? undefined : { how: code === 1 ? 'exited' : 'signalled', status },
    invocation: text('InvocationID'),
    restarts: number('NRestarts'),
    startedAt: number('ExecMainStartTimestampMonotonic') / 1000,
    endedAt: number('ExecMainExitTimestampMonotonic') / 1000,
    restartMs: timeSpanMs(text('RestartUSec')),
    hasJob: number('Job') > 0,
    triggeredBy: text('TriggeredBy')
      .split(' ')
      .filter((name) => name !== ''),
    isEnabled: /^enabled/.test(text('UnitFileState')),
  };
}

/**
 * Names the run of a service that is under way; undefined where none is. It is a link in /run that systemd keeps for
 * its journal, so looking at it costs nearly nothing and needs no answer.
 */
export async function runningInvocation(host: Host, unit: string): Promise<string | undefined> {
  const link = `/run/systemd/units/invocation:${unit}`;
  if (!(await host.files.stat(link))) return undefined;
  try {
    return await host.files.readlink(link);
  } catch {
    // It ended meanwhile.
    return undefined;
  }
}

/**
 * What the processes of one run of a service have printed, both streams as they came; its end where it is long. journald of
 * a machine that boots may be behind by seconds, and a service that failed has mostly printed something: where there is
 * nothing, it is looked for again for a while. Of a process that ended before journald had looked at it, the run is not
 * known: then what the unit's processes have printed since that run began counts.
 *
 * @param run `startedAt` in milliseconds of the monotonic clock
 * @param looks how often to look where there is nothing; once suffices while the unit is at work
 */
export async function unitOutput(
  host: Host,
  { unit, invocation, startedAt }: { unit: string; invocation: string; startedAt: number },
  looks = LOOKS,
): Promise<string> {
  const began = (host.clock.now().getTime() - (host.clock.monotonic() - startedAt)) / 1000;
  const read = (...which: string[]) =>
    ask(host, ['journalctl', '-b', '-q', '--no-pager', '-o', 'cat', '-n', String(OUTPUT_LINES), ...which]);
  let answers = true;
  for (let left = looks; ; left -= 1) {
    // Its last lines may still be on their way when systemd knows its end. Where this fails, what is there must do.
    if (answers) answers = !(await ask(host, ['journalctl', '--sync'])).timedOut;
    const { stdout, timedOut } = await read(`_SYSTEMD_INVOCATION_ID=${invocation}`);
    // A journal that hangs once is not waited for again and again.
    if (stdout.trim() !== '' || timedOut) return stdout;
    if (left <= 1) return (await read('--since', `@${Math.floor(began)}`, `_SYSTEMD_UNIT=${unit}`)).stdout;
    await host.clock.sleep(LOOK_AGAIN_MS);
  }
}

const ask = (host: Host, argv: [string, ...string[]]) =>
  host.processes.run({ argv, timeoutMs: 5 * ASK_MS, keepBytes: 512 * 1024 });

const UNITS: Record<string, number> = { us: 0.001, ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** systemd's way to write a time span, such as `1min 30s`; 0 where it is none (`infinity`). */
function timeSpanMs(text: string): number {
  return [...text.matchAll(/([\d.]+)(us|ms|min|s|h|d)\b/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0),
    0,
  );
}
