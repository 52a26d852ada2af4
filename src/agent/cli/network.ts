import { isExpected } from '../../kit/errors.ts';
import { positionText } from '../../kit/position.ts';
import { redact } from '../../secrets/redact.ts';
import { createHost } from '../create-host.ts';
import { localNetwork } from '../userdata/local-network.ts';
import { requireRoot, requireRootDirectory, rootOption, withUsageErrors } from './options/options.ts';
import { stopSignal } from './process/stop-signal.ts';

/**
 * `slipway network`: 0 also where nothing on the machine says what its network is to be; 2 where that is wrong, 1 where it
 * cannot be had.
 */
export function networkCommand({ root: given }: { root: string }): Promise<number> {
  return withUsageErrors(async () => {
    const root = rootOption(given);
    if (root === '/') requireRoot("write this machine's network configuration", 'slipway network');
    const host = createHost({ root });
    await requireRootDirectory(host);
    try {
      const { settings, report } = await localNetwork(host, async (found) => {
        const { foreignSeed } = await import('../bootstrap/lifecycle/find-state.ts');
        return foreignSeed(host, found);
      });
      for (const { severity, message, where, code } of report)
        tell(`${severity}: ${where ? `${positionText(where)}: ` : ''}${message} [${code}]`);
      if (report.some(({ severity }) => severity === 'error')) return 2;
      if (settings === undefined) {
        tell('nothing on this machine says what its network is to be; it stays as it is');
        return 0;
      }
      const { prepareNetwork } = await import('../network/prepare-network.ts');
      for (const line of await prepareNetwork(host, settings, stopSignal())) tell(line);
      return 0;
    } catch (error) {
      if (!isExpected(error)) throw error;
      tell(error.message);
      return 1;
    }
  });
}

function tell(line: string): void {
  process.stderr.write(`slipway: ${redact(line)}\n`);
}
