import type { Host } from './host.ts';
import { windowsProgram } from './windows-program.ts';

/** ERROR_SERVICE_DOES_NOT_EXIST */
const NO_SUCH_SERVICE = 1060;
/** ERROR_SERVICE_NEVER_STARTED: in this boot nobody has tried yet. */
const NEVER_STARTED = 1077;

/** Microsoft's names of a service's states, which no language changes, in the words of systemd. */
const STATES: Readonly<Record<string, readonly [active: string, sub: string]>> = {
  RUNNING: ['active', 'running'],
  START_PENDING: ['activating', 'start'],
  CONTINUE_PENDING: ['activating', 'start'],
  STOP_PENDING: ['deactivating', 'stop'],
  PAUSE_PENDING: ['deactivating', 'stop'],
  PAUSED: ['inactive', 'paused'],
  STOPPED: ['inactive', 'dead'],
};

/**
 * What Windows' service manager says of a service, as systemd would say it of a unit: by `sc.exe`, and so whoever has
 * registered it (win_service, nssm, containerd --register-service).
 *
 * @returns the properties `Id`, `LoadState` (`loaded`, `masked` where it is disabled, `not-found`), `ActiveState`, `SubState`,
 *   `Result`, `ExecMainStatus` and `Job`; undefined where there is no answer
 */
export async function serviceState(
  host: Pick<Host, 'env' | 'processes'>,
  name: string,
  timeoutMs: number,
): Promise<ReadonlyMap<string, string> | undefined> {
  const sc = (verb: string) =>
    host.processes.run({ argv: [windowsProgram(host, 'sc.exe'), verb, name], timeoutMs });
  const [state, config] = await Promise.all([sc('query'), sc('qc')]);
  const id = ['Id', `${name}.service`] as const;
  if (state.exitStatus === NO_SUCH_SERVICE) return new Map([id, ['LoadState', 'not-found']]);
  const word = Object.keys(STATES).find((one) => new RegExp(`: \\d +${one}\\b`).test(state.stdout));
  const [active, sub] = STATES[word ?? ''] ?? [];
  if (state.exitStatus !== 0 || active === undefined || sub === undefined) return undefined;
  const exit = Number(/^ *WIN32_EXIT_CODE +: (\d+)/m.exec(state.stdout)?.[1] ?? 0);
  const isAutomatic = /: 2 +AUTO_START\b/.test(config.stdout);
  const hasFailed = active === 'inactive' && exit !== 0 && exit !== NEVER_STARTED;
  return new Map([
    id,
    ['LoadState', /: 4 +DISABLED\b/.test(config.stdout) ? 'masked' : 'loaded'],
    ['ActiveState', hasFailed ? 'failed' : active],
    ['SubState', sub],
    ['Result', hasFailed ? 'exit-code' : 'success'],
    ['ExecMainStatus', String(hasFailed ? exit : 0)],
    ['Job', exit === NEVER_STARTED && isAutomatic ? '1' : '0'],
  ]);
}
