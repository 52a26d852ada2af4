import { pluralize } from '../../../kit/pluralize.ts';
import type { NetworkSettings } from '../../document/network-settings.ts';
import type { StepKind } from '../kind/step-kind.ts';

/** The kind of step that writes the machine's network configuration, and has it take effect. */
export const network: StepKind<NetworkSettings> = {
  name: 'network',
  plan: ({ network: spec }) =>
    spec === undefined
      ? []
      : [{ id: 'network', title: `set up the network: ${pluralize(spec.links.length, 'interface')}`, spec }],
  details: ({ links, dns, onlyNetplan }) => [
    ...links.map(({ id, match, name, addresses, dhcp4, dhcp6 }) => {
      const which = match?.mac ?? match?.name ?? name ?? id;
      const dynamic = [dhcp4 && 'dhcp4', dhcp6 && 'dhcp6'].filter((each) => each !== undefined);
      return [id, ...(which === id ? [] : [`(${which})`]), ...addresses, ...dynamic].join(' ');
    }),
    ...(onlyNetplan.length > 0 ? [`for netplan alone: ${onlyNetplan.join(' ')}`] : []),
    ...(dns.servers.length > 0 ? [`name servers ${dns.servers.join(' ')}`] : []),
  ],
  work: async () => (await import('./set-up-network.ts')).setUpNetwork,
};
