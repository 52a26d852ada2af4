import type { Outcome } from '../../../protocol/outcome.ts';
import { bootsSoFar, MAX_BOOTS } from '../../engine/reboots.ts';
import type { Host } from '../../host/host.ts';

/** cloudbase-init's exit codes of a local script or of user data that are a script: bit 0 reboots, bit 1 runs it again then. */
const REBOOT = 1001;
const AT_NEXT_BOOT = 1002;
const REBOOT_AND_AGAIN = 1003;
const GIVEN_UP = 1;

/**
 * The exit code that cloudbase-init wants: every other than its own three means that the script is done for ever, so a bootstrap
 * that is to be tried again says so. Not in `runcmd`, where cloudbase-init takes 1001 for 1003 and does not know 1002.
 *
 * @param reboot a command of the user data has asked for a reboot
 */
export async function cloudbaseInitStatus(
  host: Host,
  { exitStatus, result }: Pick<Outcome, 'exitStatus' | 'result'>,
  reboot: boolean,
): Promise<number> {
  if (result !== 'transient') return reboot && exitStatus === 0 ? REBOOT : exitStatus;
  const boots = await bootsSoFar(host);
  if (boots >= MAX_BOOTS) {
    process.stderr.write(
      `slipway: ${boots} boots have not brought this bootstrap to its end; there is no other one\n`,
    );
    return GIVEN_UP;
  }
  return reboot ? REBOOT_AND_AGAIN : AT_NEXT_BOOT;
}
