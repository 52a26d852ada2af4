import { STATE_DIR } from '../document/paths.ts';
import type { PowerStateSettings } from '../document/system-settings.ts';
import type { Host } from '../host/host.ts';

const CONDITION_MS = 60_000;
const FLAGS = { poweroff: '-P', reboot: '-r', halt: '-H' } as const;

/**
 * Reboots or switches off as user data asks for it (cloud-init's `cc_power_state_change`): once per instance, and only when the
 * verdict is on disk. Below a root directory nothing is switched.
 *
 * @returns what was done, in a few words; undefined if nothing was
 */
export async function changePowerState(
  host: Host,
  instance: string,
  { mode, delay, message, condition }: PowerStateSettings,
): Promise<string | undefined> {
  const mark = `${STATE_DIR}/power-state`;
  const done = (await host.files.readIfPresent(mark))?.toString('utf8');
  if (host.root !== '/' || done === instance) return undefined;
  // It is noted first: a machine that reboots at every boot is of no use to anybody.
  await host.files.write(mark, instance, { mode: 0o600 });
  if (condition !== undefined && !(await isMet(host, condition)))
    return 'the condition of power_state is not met';
  const when = delay === 'now' ? 'now' : `+${delay}`;
  const { exitStatus, stderr } = await host.processes.run({
    argv: ['shutdown', FLAGS[mode], when, ...(message === undefined ? [] : [message])],
    timeoutMs: CONDITION_MS,
  });
  return exitStatus === 0 ? `${mode} ${when}, as power_state asks for` : `cannot ${mode}: ${stderr.trim()}`;
}

async function isMet(host: Host, condition: NonNullable<PowerStateSettings['condition']>): Promise<boolean> {
  if (condition === false) return false;
  const [program, ...words] =
    'shell' in condition ? ['/bin/sh', '-c', condition.shell.reveal()] : condition.argv.reveal();
  if (program === undefined) return false;
  const { exitStatus } = await host.processes.run({ argv: [program, ...words], timeoutMs: CONDITION_MS });
  return exitStatus === 0;
}
