import { type Host, HostError } from '../host/host.ts';
import { type LoadOptions, networkOffer } from './load.ts';
import type { NetworkChoice } from './network/choose-network.ts';
import { NetworkStage } from './network-stage.ts';
import { findUserData } from './sources/find.ts';

/**
 * What the machine's network is to be, as far as the machine itself tells: its kernel command line, its image, its seeds and
 * volumes. Nobody is asked over a network, for there is none yet.
 *
 * @param refuse says why nothing is to be taken of what a volume has a part in
 * @throws HostError if a source is there but unreadable
 */
export async function localNetwork(machine: Host, refuse?: LoadOptions['refuse']): Promise<NetworkChoice> {
  const host = { ...machine, network: { ...machine.network, client: unreachable } };
  const stage = new NetworkStage(host);
  const answer = await findUserData(host, {
    patienceMs: 0,
    offerNetwork: await networkOffer(host, stage, refuse),
    ...(refuse ? { refuse } : {}),
  });
  if (answer.kind !== 'found' || (answer.fromVolume && (await refuse?.(answer))))
    return stage.decide(undefined);
  return stage.decide(answer.networkConfig);
}

const unreachable: Host['network']['client'] = () => ({
  send: async () => {
    throw new HostError('there is no network yet', 'ENETUNREACH');
  },
  close: () => undefined,
});
