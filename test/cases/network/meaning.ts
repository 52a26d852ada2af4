import { load } from 'js-yaml';

/** What a set of files says, in a form in which two that say the same are the same text. */
export type Meaning = Record<string, string[]>;
export type Files = Record<string, string>;

export const RENDERERS = ['networkd', 'netplan', 'network-manager'] as const;
export type Renderer = (typeof RENDERERS)[number];

/** Byte for byte the files are not the same: their names, comments, the order of keys and the ids of connections are Slipway's. */
export function meaningOf(renderer: Renderer, files: Files): Meaning {
  return renderer === 'networkd'
    ? networkd(files)
    : renderer === 'netplan'
      ? netplan(files)
      : keyfiles(files);
}

type Ini = { section: string; lines: [key: string, value: string][] }[];

function ini(text: string): Ini {
  const found: Ini = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    const section = /^\[(.*)\]$/.exec(line)?.[1];
    const [key, value] = line.split(/=(.*)/s);
    if (section !== undefined) found.push({ section, lines: [] });
    else if (line !== '' && !line.startsWith('#') && value !== undefined)
      found.at(-1)?.lines.push([key ?? '', value]);
  }
  return found;
}

/** Cards are known by their addresses here, for one that is to be renamed has its name only later. */
function networkd(files: Files): Meaning {
  const meaning: Meaning = {};
  for (const [path, text] of Object.entries(files)) {
    // cloud-init renames cards by itself.
    if (path.endsWith('.link')) continue;
    const sections = ini(text);
    const match = sections.find(({ section }) => section === 'Match')?.lines ?? [];
    const mac = match.find(([key]) => /MACAddress$/.test(key))?.[1];
    const who = mac ?? match.find(([key]) => key === 'Name')?.[1] ?? nameOf(sections);
    const said = sections.flatMap(({ section, lines }) => networkdSection(section, lines, mac !== undefined));
    meaning[`${who}${path.slice(path.lastIndexOf('.'))}`] = [...new Set(said)].sort();
  }
  return meaning;
}

function nameOf(sections: Ini): string {
  return (
    sections.find(({ section }) => section === 'NetDev')?.lines.find(([key]) => key === 'Name')?.[1] ?? '?'
  );
}

function networkdSection(section: string, lines: Ini[number]['lines'], hasMac: boolean): string[] {
  if (section === 'Match')
    return lines
      .filter(([key]) => key !== 'Kind' && !(hasMac && key === 'Name'))
      .map(([key, value]) => `Match ${key.replace('Permanent', '')}=${value.toLowerCase()}`);
  if (section === 'Route') {
    const via = lines.find(([key]) => key === 'Gateway')?.[1] ?? '';
    const to =
      lines.find(([key]) => key === 'Destination')?.[1] ?? (via.includes(':') ? '::/0' : '0.0.0.0/0');
    const others = lines.filter(([key]) => key !== 'Destination').map((line) => line.join('='));
    return [`Route ${to} ${others.sort().join(' ')}`];
  }
  if (section === 'RoutingPolicyRule')
    return [
      `Rule ${lines
        .map((line) => line.join('='))
        .sort()
        .join(' ')}`,
    ];
  return lines.flatMap(([key, value]) => {
    if (['DNS', 'Domains'].includes(key)) return value.split(' ').map((each) => `${section} ${key}=${each}`);
    return [`${section} ${key}=${value.replace(/^(?:true|yes)$/i, 'yes').replace(/^(?:false|no)$/i, 'no')}`];
  });
}

type Json = Record<string, unknown>;

function netplan(files: Files): Meaning {
  const meaning: Meaning = {};
  for (const text of Object.values(files)) {
    const { network } = load(text) as { network: Record<string, Json> };
    for (const [section, rows] of Object.entries(network)) {
      if (section === 'version') continue;
      for (const [id, device] of Object.entries(rows))
        meaning[`${section}.${id}`] = flat('', netplanDevice(device as Json));
    }
  }
  return meaning;
}

function netplanDevice({ routes, nameservers, ...device }: Json): Json {
  const rows = ((routes ?? []) as Json[]).map((route) => {
    const to = route.to === 'default' ? (String(route.via).includes(':') ? '::/0' : '0.0.0.0/0') : route.to;
    return { ...route, to };
  });
  const { addresses, search } = (nameservers ?? {}) as Record<string, string[] | undefined>;
  return {
    ...device,
    ...(rows.length > 0 ? { routes: rows.map((row) => flat('', row).join(' ')).sort() } : {}),
    ...(addresses?.length ? { dns: addresses.toSorted() } : {}),
    ...(search?.length ? { search: search.toSorted() } : {}),
  };
}

function flat(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return [`${path}=${JSON.stringify(value.map(String))}`];
  if (typeof value !== 'object' || value === null) return [`${path}=${String(value)}`];
  return Object.entries(value)
    .flatMap(([key, inner]) => flat(path === '' ? key : `${path}.${key}`, inner))
    .sort();
}

/** Connections name one another by ids, which stand here as the names of their interfaces. */
function keyfiles(files: Files): Meaning {
  const profiles = Object.entries(files)
    .filter(([path]) => path.endsWith('.nmconnection'))
    .map(([, text]) => ini(text));
  const value = (sections: Ini, name: string, key: string) =>
    sections.find(({ section }) => section === name)?.lines.find(([each]) => each === key)?.[1];
  const names = new Map(
    profiles.map((sections) => [
      value(sections, 'connection', 'uuid') ?? '',
      value(sections, 'ethernet', 'mac-address') ?? value(sections, 'connection', 'interface-name') ?? '?',
    ]),
  );
  const meaning: Meaning = {};
  for (const sections of profiles) {
    const who = names.get(value(sections, 'connection', 'uuid') ?? '') ?? '?';
    const said = sections.flatMap(({ section, lines }) => keyfileSection(section, lines, names));
    meaning[who] = said.sort();
  }
  return meaning;
}

/** What names a connection for people, and how much NetworkManager minds its failure. */
const OWN = ['id', 'uuid', 'autoconnect-priority', 'may-fail', 'org.freedesktop.NetworkManager.origin'];

function keyfileSection(section: string, lines: Ini[number]['lines'], names: Map<string, string>): string[] {
  const get = (key: string) => lines.find(([each]) => each === key)?.[1];
  // What is not said of a family is for NetworkManager as good as disabled, or as what the router says.
  if (get('method') === 'disabled') return [];
  const isSix = section === 'ipv6';
  return lines.flatMap(([key, given]) => {
    const value = names.get(given) ?? given;
    if (OWN.includes(key)) return [];
    if (key === 'gateway') return [`${section} route ${isSix ? '::/0' : '0.0.0.0/0'},${value}`];
    if (/^route\d+$/.test(key))
      return [`${section} route ${[value, get(`${key}_options`)].filter(Boolean).join(' ')}`];
    if (/^route\d+_options$/.test(key)) return [];
    if (/^address\d+$/.test(key)) return [`${section} address ${value}`];
    if (['dns', 'dns-search'].includes(key))
      return value
        .split(';')
        .filter(Boolean)
        .map((each) => `${section} ${key} ${each}`);
    return [`${section} ${key}=${value}`];
  });
}
