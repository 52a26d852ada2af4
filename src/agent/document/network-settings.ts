/**
 * A network configuration in one shape, whatever format it had: cloud-init's version 1 or 2, OpenStack's network_data.json, or
 * the kernel command line. Readers have checked every text: none holds a control character or a space.
 */
import type { Sensitive } from '../../secrets/sensitive.ts';

export interface NetworkSettings {
  /** Where it came from, for people. */
  place: string;
  /** In the order given; members of bonds and bridges are among them. */
  links: NetworkLink[];
  /** For links that say none of their own. */
  dns: NameServers;
  /** Routes of no link in particular. */
  routes: NetworkRoute[];
  /** The configuration as it was given, where netplan itself reads it (version 2), as JSON; networks of radios have passwords. */
  netplan?: Sensitive<string>;
  /** Sections and keys that netplan alone knows: elsewhere they are left out. */
  onlyNetplan: string[];
  /** What the image's cloud.cfg has it written for, the first that is there; cloud-init's names. */
  renderers?: string[];
}

export interface NetworkLink {
  /** The configuration's own name for it; other links name it so. */
  id: string;
  kind: 'ethernet' | 'infiniband' | 'loopback' | 'bond' | 'bridge' | 'vlan';
  /** Which card it is; absent: the one called `name`. */
  match?: LinkMatch;
  /** What the interface is called; absent where only `match` tells. */
  name?: string;
  /** The card that matches is to be called `name`. */
  renames: boolean;
  /** The hardware address that it is given. */
  mac?: string;
  mtu?: number;
  mtu6?: number;
  wakeOnLan?: boolean;
  /** The machine is online without it. */
  optional?: boolean;
  acceptRa?: boolean;
  dhcp4?: DhcpSettings;
  dhcp6?: DhcpSettings & { mode: 'any' | 'slaac' | 'stateless' | 'stateful' };
  /** With the length of the prefix: `10.0.0.5/24`. */
  addresses: string[];
  routes: NetworkRoute[];
  rules: RoutingRule[];
  dns: NameServers;
  /** Names of parameters are netplan's. */
  bond?: { members: string[]; parameters: Record<string, string> };
  bridge?: {
    members: string[];
    parameters: Record<string, string>;
    /** By member. */
    pathCost: Record<string, number>;
    portPriority: Record<string, number>;
  };
  vlan?: { id: number; link: string };
}

/** All that is said has to hold. */
export interface LinkMatch {
  /** Lower case, with colons. */
  mac?: string;
  /** With `*`, `?` and `[...]`. */
  name?: string;
  driver?: string[];
}

export interface DhcpSettings {
  metric?: number;
  useDns?: boolean;
  useDomains?: boolean | 'route';
  useHostname?: boolean;
  useMtu?: boolean;
  useNtp?: boolean;
  useRoutes?: boolean;
  sendHostname?: boolean;
  hostname?: string;
}

export interface NetworkRoute {
  /** A network with the length of its prefix; `0.0.0.0/0` and `::/0` are the default. */
  to: string;
  via?: string;
  metric?: number;
  /** The gateway is reached though no network of the link holds it. */
  onLink?: boolean;
  table?: number;
  mtu?: number;
  from?: string;
  type?: string;
  scope?: string;
}

export interface RoutingRule {
  from?: string;
  to?: string;
  table?: number;
  priority?: number;
  mark?: number;
  tos?: number;
}

interface NameServers {
  servers: string[];
  search: string[];
}
