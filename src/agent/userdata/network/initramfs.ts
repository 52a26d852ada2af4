import type { Host } from '../../host/host.ts';
import type { NetworkConfig } from '../../platform/instance/instance.ts';

const FILES = /^net6?-[\w.@-]+\.conf$/;
const MAX_BYTES = 64 * 1024;

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
