import { ipFamily } from '../../../kit/ip-family.ts';
import { omitUndefined } from '../../../kit/json.ts';
import type { DhcpSettings, NetworkRoute, RoutingRule } from '../../document/network-settings.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { describe, type YamlNode } from '../../text/yaml/yaml-node.ts';
import { destination, hardwareAddress, isInterfaceName, isSafeId } from './values.ts';

/** Reads the fields of a link, each in the form that its meaning demands; any other form is an error at its place. */
export class LinkFields extends Fields {
  /** A whole number, or the text of one. */
  whole(name: string, least = 0, most = 0xffff_ffff): number | undefined {
    const text = this.looseText(name);
    if (text === undefined) return undefined;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    this.wrong(name, `${name} must be a whole number from ${least} to ${most}.`);
    return undefined;
  }

  maybe(name: string): boolean | undefined {
    return this.node(name) === undefined ? undefined : this.bool(name, false);
  }

  /** One word without spaces and control characters. */
  word(name: string): string | undefined {
    return this.checked(name, 'a single word', (text) =>
      /^[^\s\p{Cc}]{1,253}$/u.test(text) ? text : undefined,
    );
  }

  address(name: string): string | undefined {
    return this.checked(name, 'an IP address', (text) => ipFamily(text) && text);
  }

  hardware(name: string): string | undefined {
    return this.checked(name, 'a hardware address such as 52:54:00:12:34:56', hardwareAddress);
  }

  interfaceName(name: string): string | undefined {
    return this.checked(name, 'an interface name of at most 15 characters', (text) =>
      isInterfaceName(text) && isSafeId(text) ? text : undefined,
    );
  }

  checked(name: string, what: string, read: (text: string) => string | undefined): string | undefined {
    const text = this.looseText(name);
    if (text === undefined) return undefined;
    const found = read(text.trim());
    if (found === undefined) this.wrong(name, `${name} must be ${what}.`);
    return found;
  }

  /** A list, or one text with spaces between its items, as `valid` wants them. */
  list1(name: string, what: string, valid: (text: string) => unknown): string[] {
    const node = this.node(name);
    if (node === undefined) return [];
    const nodes: YamlNode[] =
      node.kind === 'sequence'
        ? node.items
        : node.kind === 'string'
          ? node.value
              .trim()
              .split(/[\s,]+/)
              .filter((word) => word !== '')
              .map((value) => ({ ...node, value }))
          : [node];
    return nodes.flatMap((item) =>
      this.textOf(name, item).flatMap((text) => {
        if (valid(text)) return [text];
        this.wrongAt(item.where, `${name} must hold ${what}.`);
        return [];
      }),
    );
  }

  servers(name: string): string[] {
    return this.list1(name, 'name server addresses', isServer);
  }

  domains(name: string): string[] {
    return this.list1(name, 'domain names', (text) => /^[\w.~-]{1,253}$/.test(text));
  }

  ids(name: string): string[] {
    return this.list1(name, 'interface names', isSafeId);
  }

  mapping(name: string, diagnostics: Diagnostics, what: string): LinkFields | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === 'mapping') return new LinkFields(node, what, diagnostics);
    this.expected(name, node, 'a mapping');
    return undefined;
  }

  /** The mappings of a list. */
  each(name: string, diagnostics: Diagnostics, what: string): LinkFields[] {
    return (this.list(name) ?? []).flatMap((item) => {
      if (item.kind === 'mapping') return [new LinkFields(item, what, diagnostics)];
      this.wrongAt(item.where, `${name} must contain mappings, not ${describe(item)}.`);
      return [];
    });
  }
}

/** An address, with what resolved takes behind it: a port, an interface, a name for TLS. */
function isServer(text: string): boolean {
  return /^[\w.:%@#[\]-]{2,300}$/.test(text) && /^\[?[0-9a-fA-F:]*[.:]/.test(text);
}

interface RouteNames {
  to: readonly string[];
  via: string;
  onLink?: string;
}

/** A route by the names that the format has for its parts. */
export function readRoute(
  fields: LinkFields,
  { to: names, via: gateway, onLink }: RouteNames,
): NetworkRoute[] {
  const via = fields.address(gateway);
  const name = names.find((each) => fields.node(each) !== undefined) ?? names[0] ?? 'to';
  for (const each of names) fields.node(each);
  const text = fields.looseText(name);
  const mask = fields.looseText('netmask') ?? fields.looseText('prefix');
  if (text === undefined) {
    fields.wrong(name, `a route must have ${name}.`);
    return [];
  }
  const to = destination(text.trim(), mask, via);
  if (to === undefined) {
    fields.wrong(name, `${name} must be a network such as 10.0.0.0/8, or default.`);
    return [];
  }
  const numbers = {
    metric: fields.whole('metric'),
    table: fields.whole('table'),
    mtu: fields.whole('mtu', 68),
  };
  const words = { from: fields.address('from'), type: fields.word('type'), scope: fields.word('scope') };
  const isOnLink = onLink !== undefined && fields.bool(onLink, false);
  return [{ to, ...omitUndefined({ via, ...numbers, ...words }), ...(isOnLink ? { onLink: true } : {}) }];
}

export function readRule(fields: LinkFields): RoutingRule {
  const net = (name: string) =>
    fields.checked(name, 'a network', (text) => {
      const [address = ''] = text.split('/');
      return /^[0-9a-fA-F.:]+(?:\/\d{1,3})?$/.test(text) && ipFamily(address) ? text : undefined;
    });
  return omitUndefined({
    from: net('from'),
    to: net('to'),
    table: fields.whole('table'),
    priority: fields.whole('priority'),
    mark: fields.whole('mark'),
    tos: fields.whole('type-of-service'),
  });
}

export function readDhcp(fields: LinkFields | undefined): DhcpSettings {
  if (fields === undefined) return {};
  const node = fields.node('use-domains');
  const useDomains =
    node?.kind === 'string' && node.value === 'route' ? ('route' as const) : fields.maybe('use-domains');
  return omitUndefined({
    metric: fields.whole('route-metric'),
    useDns: fields.maybe('use-dns'),
    useDomains,
    useHostname: fields.maybe('use-hostname'),
    useMtu: fields.maybe('use-mtu'),
    useNtp: fields.maybe('use-ntp'),
    useRoutes: fields.maybe('use-routes'),
    sendHostname: fields.maybe('send-hostname'),
    hostname: fields.word('hostname'),
  });
}
