import type { Choices } from '../ignition/random.ts';
import type { Renderer } from './meaning.ts';

type Made = Record<string, unknown>;

/** A configuration as documents.yaml has them; which renderers' output of cloud-init's is known to lack something of it. */
export interface Generated {
  about: string;
  config?: Made;
  'network-data'?: Made;
  loses: Renderer[];
}

const MAC = { eth0: '52:54:00:00:00:01', eth1: '52:54:00:00:00:02' };
const CARDS = ['eth0', 'eth1'] as const;

/**
 * Of each of the three forms in turn, the same for the same choices. Where cloud-init's output is known to be another, that is
 * named: NetworkManager asks DHCP for a card that is to be set up by hand, netplan loses the name servers of all where a card
 * has but a domain of its own, and networkd what a bond, bridge or vlan overrides of DHCP, and that a bridge has no STP.
 */
export function generatedNetwork(choices: Choices, number: number): Generated {
  const about = `made configuration ${number}`;
  const form = number % 3;
  if (form === 2) return { about, 'network-data': networkData(choices), loses: ['netplan'] };
  const loses = new Set<Renderer>();
  const config = form === 0 ? version1(choices) : version2(choices, loses);
  const text = JSON.stringify(config);
  if (text.includes('"manual"')) loses.add('network-manager');
  if (text.includes('"nameserver"') && /dns_(?:search|nameservers)/.test(text)) loses.add('netplan');
  if (/"stp":false|"bridge_stp":"off"/.test(text)) loses.add('networkd');
  return { about, config, loses: [...loses] };
}

const maybe = (choices: Choices, percent: number, made: Made): Made => (choices.chance(percent) ? made : {});

function version1(choices: Choices): Made {
  const cards = CARDS.map((name) => ({
    type: 'physical',
    name,
    ...maybe(choices, 50, { mac_address: MAC[name] }),
    ...maybe(choices, 20, { mtu: choices.of([1400, 9000]) }),
  }));
  const kind = choices.of(['cards', 'cards', 'bond', 'bridge', 'vlan']);
  const config: Made[] = [...cards];
  if (kind === 'cards')
    config.splice(0, 2, ...cards.map((card, net) => ({ ...card, subnets: subnets1(choices, net) })));
  else config.push({ ...over1(choices, kind), subnets: subnets1(choices, 7) });
  if (choices.chance(30))
    config.push({
      type: 'nameserver',
      address: choices.of<unknown>(['10.9.0.2', ['10.9.0.2', 'fd09::2']]),
      ...maybe(choices, 50, { search: ['a.example'] }),
    });
  return { version: 1, config };
}

function over1(choices: Choices, kind: string): Made {
  if (kind === 'bond') {
    const mode = choices.of(['active-backup', 'balance-rr', 'balance-xor']);
    return {
      type: 'bond',
      name: 'bond0',
      bond_interfaces: [...CARDS],
      params: { 'bond-mode': mode, ...maybe(choices, 50, { 'bond-miimon': 100 }) },
    };
  }
  if (kind === 'bridge')
    return {
      type: 'bridge',
      name: 'br0',
      bridge_interfaces: choices.of<unknown>([['eth0'], [...CARDS]]),
      ...maybe(choices, 60, { params: { bridge_stp: choices.of(['on', 'off']), bridge_bridgeprio: 22 } }),
    };
  const id = 1 + choices.below(4000);
  return { type: 'vlan', name: `eth0.${id}`, vlan_link: 'eth0', vlan_id: id };
}

function subnets1(choices: Choices, net: number): Made[] {
  const how = choices.of(['dhcp', 'dhcp4', 'dhcp6', 'manual', 'static', 'static', 'static6', 'both', 'two']);
  const names = {
    ...maybe(choices, 30, {
      dns_nameservers: choices.of<unknown>([[`10.${net}.0.2`], `10.${net}.0.2 10.${net}.0.3`]),
    }),
    ...maybe(choices, 20, { dns_search: choices.of<unknown>([['b.example'], 'b.example c.example']) }),
  };
  const four = (host: number): Made =>
    choices.of<Made>([
      { type: 'static', address: `10.${net}.0.${host}/24` },
      { type: 'static', address: `10.${net}.0.${host}`, netmask: choices.of(['255.255.255.0', 24]) },
    ]);
  const six = {
    type: choices.of(['static', 'static6']),
    ...choices.of<Made>([
      { address: `fd0${net}::5/64` },
      { address: `fd0${net}::5`, netmask: choices.of<unknown>(['ffff:ffff:ffff:ffff::', 64]) },
    ]),
    ...maybe(choices, 50, { gateway: `fd0${net}::1` }),
  };
  const routed = {
    ...maybe(choices, 50, { gateway: `10.${net}.0.1` }),
    ...maybe(choices, 30, { routes: [route1(choices, net)] }),
  };
  if (how === 'static') return [{ ...four(5), ...routed, ...names }];
  if (how === 'static6') return [{ ...six, ...names }];
  if (how === 'both') return [{ ...four(5), ...routed, ...names }, six];
  if (how === 'two') return [{ ...four(5), ...routed }, four(6)];
  if (how === 'manual') return [{ type: 'manual' }];
  return [{ type: how }];
}

function route1(choices: Choices, net: number): Made {
  const to = choices.of<Made>([
    { destination: '10.128.0.0/16' },
    { network: '10.128.0.0', netmask: '255.255.0.0' },
    { network: '10.128.0.0/16' },
  ]);
  return { ...to, gateway: `10.${net}.0.9`, ...maybe(choices, 40, { metric: 7 }) };
}

function version2(choices: Choices, loses: Set<Renderer>): Made {
  const kind = choices.of(['cards', 'cards', 'bonds', 'bridges', 'vlans']);
  const ethernets = Object.fromEntries(
    CARDS.map((name, net) => {
      const bare = choices.chance(40) ? { match: { macaddress: MAC[name] }, 'set-name': name } : {};
      return [name, kind === 'cards' ? { ...bare, ...addresses2(choices, net, loses) } : bare];
    }),
  );
  if (kind === 'cards') return { version: 2, ethernets };
  const addressed = addresses2(choices, 7, loses);
  const id = 1 + choices.below(4000);
  const over = {
    bonds: {
      bond0: {
        interfaces: [...CARDS],
        parameters: { mode: choices.of(['active-backup', 'balance-rr']) },
        ...addressed,
      },
    },
    bridges: { br0: { interfaces: ['eth0'], parameters: { stp: choices.chance(50) }, ...addressed } },
    vlans: { [`eth0.${id}`]: { id, link: 'eth0', ...addressed } },
  }[kind];
  if ('dhcp4-overrides' in addressed) loses.add('networkd');
  if (kind !== 'bonds' && 'mtu' in addressed) loses.add('network-manager');
  return { version: 2, ethernets, [kind]: over };
}

function addresses2(choices: Choices, net: number, loses: Set<Renderer>): Made {
  const mtu = maybe(choices, 20, { mtu: 1400 });
  if (choices.chance(35)) {
    const six = maybe(choices, 40, { dhcp6: true });
    const overrides = maybe(choices, 25, { 'dhcp4-overrides': { 'use-dns': false } });
    if ('dhcp4-overrides' in overrides) loses.add('network-manager');
    return { dhcp4: true, ...six, ...overrides, ...mtu };
  }
  const hasSix = choices.chance(40);
  const old = choices.chance(50);
  const routes = [
    ...(choices.chance(30) ? [{ to: '10.128.0.0/16', via: `10.${net}.0.9` }] : []),
    ...(old ? [] : [{ to: choices.of(['default', '0.0.0.0/0']), via: `10.${net}.0.1` }]),
  ];
  return {
    addresses: [`10.${net}.0.5/24`, ...(hasSix ? [`fd0${net}::5/64`] : [])],
    ...(old ? { gateway4: `10.${net}.0.1`, ...(hasSix ? { gateway6: `fd0${net}::1` } : {}) } : {}),
    ...(routes.length > 0 ? { routes } : {}),
    ...maybe(choices, 50, {
      nameservers: { addresses: [`10.${net}.0.2`], ...maybe(choices, 50, { search: ['a.example'] }) },
    }),
    ...mtu,
  };
}

function networkData(choices: Choices): Made {
  const cards = CARDS.map((name, net) => ({
    id: `tap${net}`,
    type: choices.of(['phy', 'vif', 'ovs', 'tap', 'bridge']),
    ethernet_mac_address: MAC[name],
    ...maybe(choices, 30, { mtu: 1450 }),
  }));
  const kind = choices.of(['cards', 'cards', 'bond', 'vlan']);
  const over = {
    cards: [],
    bond: [
      {
        id: 'b',
        type: 'bond',
        bond_links: cards.map(({ id }) => id),
        bond_mode: choices.of(['active-backup', 'balance-rr']),
        ethernet_mac_address: MAC.eth0,
      },
    ],
    vlan: [{ id: 'v', type: 'vlan', vlan_link: 'tap0', vlan_id: 7, vlan_mac_address: '52:54:00:00:00:07' }],
  }[kind] as Made[];
  const plain = kind === 'bond' ? cards.map((card) => ({ ...card, type: 'phy' })) : cards;
  const links = [...plain, ...over];
  const addressed = over.length > 0 ? over : plain;
  const networks = addressed.flatMap(({ id }, net) => networksOf(choices, String(id), net));
  const services = maybe(choices, 50, { services: [{ type: 'dns', address: '10.9.0.2' }] });
  return { links, networks, services: [], ...services };
}

function networksOf(choices: Choices, link: string, net: number): Made[] {
  const routes = [
    ...(choices.chance(60) && net === 0
      ? [{ network: '0.0.0.0', netmask: '0.0.0.0', gateway: `10.${net}.0.1` }]
      : []),
    ...(choices.chance(30)
      ? [{ network: '10.128.0.0', netmask: '255.255.0.0', gateway: `10.${net}.0.9` }]
      : []),
  ];
  const four = {
    id: `n${net}`,
    type: 'ipv4',
    link,
    ip_address: `10.${net}.0.5`,
    netmask: '255.255.255.0',
    routes,
    ...maybe(choices, 30, { services: [{ type: 'dns', address: `10.${net}.0.2` }] }),
  };
  const six = {
    id: `m${net}`,
    type: 'ipv6',
    link,
    ip_address: `fd0${net}::5`,
    netmask: 'ffff:ffff:ffff:ffff::',
    routes: choices.chance(50) ? [{ network: '::', netmask: '::', gateway: `fd0${net}::1` }] : [],
  };
  return choices.of([[four], [four], [four, six], [{ id: `n${net}`, type: 'ipv4_dhcp', link }]]);
}
