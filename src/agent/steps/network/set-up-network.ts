import type { NetworkSettings } from '../../document/network-settings.ts';
import { applyNetwork } from '../../network/apply-network.ts';
import type { Work } from '../kind/step-kind.ts';
import { attempt } from '../tools/each-entry.ts';

/**
 * The machine's network. Where a source was asked over it, it is set up already, and this finds it so.
 */
export const setUpNetwork: Work<NetworkSettings> = (settings) => ({
  run: ({ host, signal, finding, progress }) =>
    attempt(async () => {
      const { done, remarks } = await applyNetwork(
        host,
        settings,
        signal,
        (message) => void progress(message),
      );
      for (const message of remarks)
        await finding({ severity: 'warning', code: 'NetworkNotConfigured', message });
      return done;
    }),
});
