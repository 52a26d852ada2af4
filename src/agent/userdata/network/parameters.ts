import type { NetworkLink } from '../../document/network-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import type { LinkFields } from './link-fields.ts';
import { isSafeId } from './values.ts';

/** Parameters of bonds: what version 1 and OpenStack call them (without `bond-`), and netplan. */
const BOND: Readonly<Record<string, string>> = {
  'ad-select': 'ad-select',
  'all-slaves-active': 'all-slaves-active',
  'arp-all-targets': 'arp-all-targets',
  'arp-interval': 'arp-interval',
  'arp-ip-target': 'arp-ip-targets',
  'arp-ip-targets': 'arp-ip-targets',
  'arp-validate': 'arp-validate',
  downdelay: 'down-delay',
  'down-delay': 'down-delay',
  'fail-over-mac': 'fail-over-mac-policy',
  'fail-over-mac-policy': 'fail-over-mac-policy',
  'gratuitious-arp': 'gratuitous-arp',
  'gratuitous-arp': 'gratuitous-arp',
  'lacp-rate': 'lacp-rate',
  'learn-packet-interval': 'learn-packet-interval',
  miimon: 'mii-monitor-interval',
  'mii-monitor-interval': 'mii-monitor-interval',
  'min-links': 'min-links',
  mode: 'mode',
  'num-grat-arp': 'gratuitous-arp',
  'packets-per-slave': 'packets-per-slave',
  primary: 'primary',
  'primary-reselect': 'primary-reselect-policy',
  'primary-reselect-policy': 'primary-reselect-policy',
  updelay: 'up-delay',
  'up-delay': 'up-delay',
  'xmit-hash-policy': 'transmit-hash-policy',
  'transmit-hash-policy': 'transmit-hash-policy',
};

/** Modes may be given by their numbers. */
const MODES = [
  ...['balance-rr', 'active-backup', 'balance-xor', 'broadcast', '802.3ad', 'balance-tlb', 'balance-alb'],
];

/** A parameter of a bond by netplan's name, and its value as the kernel has it; no value after a warning or an error. */
export function bondParameter(fields: LinkFields | undefined, given: string): [string, string | undefined] {
  const plain = given.replaceAll('_', '-').replace(/^bond-/, '');
  const name = Object.hasOwn(BOND, plain) ? BOND[plain] : undefined;
  if (name === undefined) {
    if (!['slaves', 'links'].includes(plain))
      fields?.warn(given, 'a bond parameter is not known; it is ignored.');
    return [plain, undefined];
  }
  const node = fields?.node(given);
  if (node?.kind === 'sequence') return [name, fields?.list1(given, 'single words', isWord).join(' ')];
  const text = fields?.looseText(given)?.trim();
  if (text === undefined) return [name, undefined];
  if (!isWord(text.replaceAll(',', ' ').replaceAll(' ', ''))) {
    fields?.wrong(given, 'a bond parameter must be a single word.');
    return [name, undefined];
  }
  const spelled = text === 'True' ? 'true' : text === 'False' ? 'false' : text;
  return [name, name === 'mode' && /^[0-6]$/.test(text) ? MODES[Number(text)] : spelled];
}

/** Parameters of bridges: what version 1 calls them, and netplan. Null: older tools' own, which means nothing elsewhere. */
const BRIDGE: Readonly<Record<string, string | null>> = {
  ...{ ageing: 'ageing-time', 'ageing-time': 'ageing-time', bridgeprio: 'priority', priority: 'priority' },
  ...{
    fd: 'forward-delay',
    'forward-delay': 'forward-delay',
    hello: 'hello-time',
    'hello-time': 'hello-time',
  },
  ...{ maxage: 'max-age', 'max-age': 'max-age', stp: 'stp', pathcost: 'path-cost', 'path-cost': 'path-cost' },
  ...{
    portprio: 'port-priority',
    'port-priority': 'port-priority',
    gcint: null,
    maxwait: null,
    waitport: null,
  },
  hw: null,
};

type Bridge = NonNullable<NetworkLink['bridge']>;

export function bridgeParameter(
  fields: LinkFields | undefined,
  given: string,
  bridge: Bridge,
  diagnostics: Diagnostics,
): void {
  if (fields === undefined) return;
  const plain = given.replace(/^bridge[_-]/, '').replaceAll('_', '-');
  const name = Object.hasOwn(BRIDGE, plain) ? BRIDGE[plain] : undefined;
  if (name === undefined) fields.warn(given, 'a bridge parameter is not known; it is ignored.');
  if (name === undefined || name === null || fields.node(given) === undefined) return;
  if (name === 'stp') {
    const text = fields.looseText(given) ?? '';
    if (/^(?:on|1|true|yes)$/i.test(text)) bridge.parameters.stp = 'true';
    else if (/^(?:off|0|false|no)$/i.test(text)) bridge.parameters.stp = 'false';
    else fields.wrong(given, `${given} must be true or false.`);
    return;
  }
  if (name === 'path-cost' || name === 'port-priority') {
    const into = name === 'path-cost' ? bridge.pathCost : bridge.portPriority;
    Object.assign(into, byMember(fields, given, diagnostics));
    return;
  }
  const value = fields.whole(given);
  if (value !== undefined) bridge.parameters[name] = String(value);
}

/** Version 2 has a mapping; version 1 texts such as `eth0 50`. */
function byMember(fields: LinkFields, given: string, diagnostics: Diagnostics): Record<string, number> {
  const found: Record<string, number> = {};
  if (fields.node(given)?.kind === 'mapping') {
    const inner = fields.mapping(given, diagnostics, given);
    for (const member of inner?.names().filter(isSafeId) ?? []) {
      const value = inner?.whole(member);
      if (value !== undefined) found[member] = value;
    }
    return found;
  }
  for (const text of fields.texts(given, true)) {
    const [, member, value] = /^\s*(\S+)\s+(\d{1,9})\s*$/.exec(text) ?? [];
    if (member === undefined || !isSafeId(member))
      fields.wrong(given, `each entry of ${given} must have a member and a number.`);
    else found[member] = Number(value);
  }
  return found;
}

function isWord(text: string): boolean {
  return /^[\w.:+-]{1,64}$/.test(text);
}
