import { omitUndefined } from '../../../kit/json.ts';
import type { FactReader } from '../reading/fact-reader.ts';
import type { NetworkInterface } from '../reading/facts.ts';

const NET = '/sys/class/net';
const IPV6 = '/proc/net/if_inet6';
/** A machine with tens of thousands of containers has as many addresses. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Interfaces with hardware or a hypervisor behind them, and bonds of such; what containers have is not counted. */
export async function readInterfaces(reader: FactReader): Promise<NetworkInterface[]> {
  const addresses = await readAddresses(reader);
  const found: NetworkInterface[] = [];
  for (const name of await reader.list('interfaces', NET)) {
    const path = `${NET}/${name}`;
    const isBond = await reader.has(`${path}/bonding`);
    if (!isBond && !(await reader.has(`${path}/device`))) continue;
    const device = await reader.linked(`${path}/device`);
    const mac = await reader.text('interfaces[].mac', `${path}/address`);
    const facts: { -readonly [K in keyof NetworkInterface]: NetworkInterface[K] } = {
      name,
      ...omitUndefined({
        mac: mac !== undefined && /^[0-9a-f]{2}(:[0-9a-f]{2}){5,19}$/.test(mac) ? mac : undefined,
        state: await reader.text('interfaces[].state', `${path}/operstate`),
        mtu: await reader.number('interfaces[].mtu', `${path}/mtu`),
        driver: (await reader.linked(`${path}/device/driver`)) ?? (isBond ? 'bonding' : undefined),
        address: /^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(device ?? '') ? device : undefined,
      }),
      addresses: addresses.get(name) ?? [],
    };
    found.push(facts);
    // The driver asks the card. One without a link has no speed and refuses; those are not asked.
    if (facts.state === 'up')
      reader.later('interfaces[].speedMbps', `${path}/speed`, (bytes) => {
        const text = Buffer.from(bytes).toString('latin1').trim();
        if (/^[1-9]\d{0,6}$/.test(text)) facts.speedMbps = Number(text);
      });
  }
  return found;
}

/** Addresses by interface. The kernel has a file of those of version 6 alone. */
async function readAddresses(reader: FactReader): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const add = (name: string, address: string) => found.set(name, [...(found.get(name) ?? []), address]);
  const own = reader.host.interfaceAddresses();
  for (const { name, address } of own) if (!address.includes(':')) add(name, address);
  if (own.length > 0) reader.from['interfaces[].addresses'] = `getifaddrs(3), ${IPV6}`;
  const text = (await reader.lines('interfaces[].addresses', IPV6, MOST_BYTES)) ?? '';
  for (const line of text.split('\n')) {
    const [digits = '', , prefix = '', , , name = ''] = line.trim().split(/\s+/);
    if (/^[0-9a-f]{32}$/.test(digits) && name !== '')
      add(name, `${shortened(digits)}/${Number.parseInt(prefix, 16)}`);
  }
  return found;
}

/** RFC 5952: without leading zeros, the longest run of zero groups as `::`. */
function shortened(digits: string): string {
  const groups = (digits.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16));
  const text = groups.join(':');
  const runs = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)];
  const [longest] = runs.toSorted((a, b) => b[0].length - a[0].length);
  if (longest === undefined) return text;
  const end = longest.index + longest[0].length;
  return `${text.slice(0, longest.index).replace(/:$/, '')}::${text.slice(end).replace(/^:/, '')}`;
}
