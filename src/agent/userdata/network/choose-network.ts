import { gunzip, isGzip } from '../../../kit/bytes/gunzip.ts';
import { ipFamily } from '../../../kit/ip-family.ts';
import type { Diagnostic } from '../../document/document.ts';
import type { NetworkSettings } from '../../document/network-settings.ts';
import type { Host } from '../../host/host.ts';
import { configFile } from '../../platform/instance/config-file.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';
import { interfacesByAddress } from '../../platform/interfaces.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import { plainText } from '../../text/source-text.ts';
import { parseYaml } from '../../text/yaml/parse.ts';
import { plainValue } from '../../text/yaml/plain-value.ts';
import { valueAt } from '../../text/yaml/yaml-node.ts';
import { readNetwork } from './read-network.ts';
import { isInterfaceName, isSafeId } from './values.ts';

/** What has been said of this machine's network, and what comes of it. */
export interface NetworkChoice {
  settings?: NetworkSettings;
  report: Diagnostic[];
}

const MAX_BYTES = 64 * 1024;

/**
 * Which configuration counts, in cloud-init's order: the kernel command line, the initramfs, the image's cloud.cfg, the source of
 * the user data. `{config: disabled}` in one of them leaves the network as it is, whatever the later ones say.
 */
export async function chooseNetwork(host: Host, offered: NetworkConfig | undefined): Promise<NetworkChoice> {
  const line = await kernelLine(host);
  const image = await readImageNetwork(host);
  const given = [await fromInitramfs(host, line), image.config, offered];
  for (const config of [networkFromKernelLine(line), ...given]) {
    if (config === undefined) continue;
    const { settings, isDisabled, report } = readNetwork(config, await interfacesByAddress(host));
    if (isDisabled && offered !== undefined && config !== offered)
      report.push(left(`${offered.place} is not applied: ${config.place} disables network configuration.`));
    if (isDisabled) return { report };
    const { renderers } = image;
    if (settings !== undefined)
      return { settings: { ...settings, ...(renderers ? { renderers } : {}) }, report };
    if (report.length > 0) return { report };
  }
  return { report: [] };
}

/** A container sees its host's, which says nothing of it. */
async function kernelLine(host: Host): Promise<string> {
  if ((await host.files.stat('/run/systemd/container')) !== undefined) return '';
  return (await host.files.readIfPresent('/proc/cmdline', MAX_BYTES))?.toString('latin1') ?? '';
}

function left(message: string): Diagnostic {
  return { severity: 'warning', code: 'UserDataIgnoredKey', message };
}

const MAIN = '/etc/cloud/cloud.cfg';
const DROP_INS = '/etc/cloud/cloud.cfg.d';
/** Only files with such a line are read as YAML. */
const MENTIONS = /^["']?network["']?[ \t]*:|^[ \t]*["']?renderers["']?[ \t]*:|^\{/m;

/** What cloud.cfg and cloud.cfg.d say of the network; of two files the later name counts. */
export async function readImageNetwork(
  host: Host,
): Promise<{ config?: NetworkConfig; renderers?: string[] }> {
  const names = (await host.files.list(DROP_INS)).filter((name) => name.endsWith('.cfg')).toReversed();
  let config: NetworkConfig | undefined;
  let renderers: string[] | undefined;
  for (const path of [...names.map((name) => `${DROP_INS}/${name}`), MAIN]) {
    const text = await configFile(host, path);
    if (!MENTIONS.test(text)) continue;
    const root = parseYaml(plainText(text), new Diagnostics());
    if (valueAt(root, 'network') !== undefined)
      config ??= { format: 'cloud-init', text, place: path, isOneKeyOf: true };
    const list = valueAt(valueAt(valueAt(root, 'system_info'), 'network'), 'renderers');
    const found = list === undefined ? undefined : plainValue(list);
    if (Array.isArray(found)) renderers ??= found.filter((name) => typeof name === 'string');
  }
  return { ...(config ? { config } : {}), ...(renderers ? { renderers } : {}) };
}

const FILES = /^net6?-[\w.@-]+\.conf$/;

/**
 * What the initramfs of Debian and Ubuntu (klibc's ipconfig) set up and noted in /run/net-NAME.conf, where `ip=` or `ip6=` on the
 * kernel command line asked for it.
 */
export async function fromInitramfs(host: Host, line: string): Promise<NetworkConfig | undefined> {
  if (!/(?:^|\s)ip6?=/.test(line)) return undefined;
  const names = (await host.files.list('/run')).filter((name) => FILES.test(name));
  const devices = new Map<string, Device>();
  for (const name of names) {
    const bytes = await host.files.readIfPresent(`/run/${name}`, MAX_BYTES);
    add(devices, values(bytes?.toString('latin1') ?? ''));
  }
  if (devices.size === 0) return undefined;
  const text = JSON.stringify({ version: 1, config: [...devices.values()] });
  return { format: 'cloud-init', text, place: `the initramfs (/run/${names[0]})` };
}

interface Device {
  type: 'physical';
  name: string;
  subnets: Record<string, unknown>[];
}

/** The values of lines such as `DEVICE='eth0'`. */
function values(text: string): Map<string, string> {
  const found = [...text.matchAll(/^[^\S\n]*([A-Za-z0-9_]+)=(.*)$/gm)];
  return new Map(
    found.map(([, key = '', value = '']) => [key, value.trim().replace(/^(['"])(.*)\1$/, '$2')]),
  );
}

function add(devices: Map<string, Device>, given: Map<string, string>): void {
  const get = (key: string) => given.get(key) || undefined;
  const name = get('DEVICE') ?? get('DEVICE6');
  if (name === undefined) return;
  const device: Device = devices.get(name) ?? { type: 'physical', name, subnets: [] };
  const proto = get('PROTO') ?? get('IPV6PROTO') ?? (get('filename') ? 'dhcp' : 'none');
  for (const family of ['IPV4', 'IPV6']) {
    const address = get(`${family}ADDR`);
    if (address === undefined) continue;
    const how = get(`${family}PROTO`) ?? proto;
    const isDynamic = how === 'dhcp' || how === 'dhcp6';
    const servers = [get(`${family}DNS0`), get(`${family}DNS1`)].filter(
      (server) => server !== undefined && /[^:.0]/.test(server),
    );
    const domains = get('DOMAINSEARCH')?.split(/[\s,]+/);
    device.subnets.push({
      type: isDynamic ? how : 'static',
      ...(isDynamic ? {} : { address, netmask: get(`${family}NETMASK`), gateway: get(`${family}GATEWAY`) }),
      ...(servers.length > 0
        ? { dns_nameservers: servers, ...(domains ? { dns_search: domains } : {}) }
        : {}),
    });
  }
  if (device.subnets.length > 0) devices.set(name, device);
}

/** Far more than a kernel command line holds. */
const LARGEST_CONFIG = 1024 * 1024;

/**
 * A configuration on the kernel command line: `network-config=` (base64, possibly of gzip; `disabled` switches off), else a
 * static address in `ip=` for an interface that it names.
 */
export function networkFromKernelLine(line: string): NetworkConfig | undefined {
  const words = line.split(/\s+/);
  const value = words.findLast((word) => word.startsWith('network-config='))?.slice('network-config='.length);
  if (value !== undefined && value !== '') {
    const text = value === 'disabled' ? '{config: disabled}' : decoded(value);
    return { format: 'cloud-init', text, place: 'network-config= of the kernel command line' };
  }
  const devices = words
    .filter((word) => word.startsWith('ip='))
    .flatMap((word) => device(word.slice(3)) ?? []);
  if (devices.length === 0) return undefined;
  const text = JSON.stringify({ version: 1, config: devices });
  return { format: 'cloud-init', text, place: 'ip= of the kernel command line' };
}

function decoded(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  if (!isGzip(bytes)) return bytes.toString('utf8');
  const plain = gunzip(bytes, LARGEST_CONFIG);
  return 'bytes' in plain ? plain.bytes.toString('utf8') : 'it is damaged gzip data';
}

/**
 * `CLIENT:PEER:GATEWAY:NETMASK:HOSTNAME:DEVICE:AUTOCONF:DNS:DNS`, the kernel's and dracut's. What an initramfs asks DHCP for is
 * its own affair; addresses of IPv6 stand in brackets.
 */
function device(text: string): unknown {
  const parts = text
    .replace(/\[([^\]]*)\]/g, (_, address: string) => address.replaceAll(':', '_'))
    .split(':')
    .map((part) => part.replaceAll('_', ':'));
  const [address = '', , gateway = '', netmask = '', , name = '', method = '', ...dns] = parts;
  if (ipFamily(address) === undefined || !isInterfaceName(name) || !isSafeId(name)) return undefined;
  if (!['', 'none', 'off', 'static'].includes(method)) return undefined;
  const servers = dns.filter((server) => ipFamily(server) !== undefined);
  const subnet = {
    ...{ type: ipFamily(address) === 6 ? 'static6' : 'static', address },
    ...(netmask === '' ? {} : { netmask }),
    ...(gateway === '' ? {} : { gateway }),
    ...(servers.length === 0 ? {} : { dns_nameservers: servers }),
  };
  return { type: 'physical', name, subnets: [subnet] };
}
