import { createHost } from '../../create-host.ts';
import { checkIn } from '../../report/checkin/check-in.ts';
import { createLog } from '../../report/events/log.ts';
import { requireRoot, rootOption, withUsageErrors } from '../options/options.ts';
import { stopSignal } from '../process/stop-signal.ts';
import { version } from '../process/version.ts';

const EXIT_STATUS = { done: 0, refused: 1, later: 75 } as const;

/** `slipway check-in`: 0 asked, or there was nothing to ask; 1 refused; 75 the controller did not answer. */
export function checkInCommand(flags: { root: string }): Promise<number> {
  return withUsageErrors(async () => {
    const host = createHost({ root: rootOption(flags.root) });
    if (host.root === '/') requireRoot('check in as this machine', 'slipway check-in');
    const log = createLog((line) => process.stdout.write(`${line}\n`));
    return EXIT_STATUS[await checkIn({ host, version: version().version, log, stop: stopSignal() })];
  });
}
