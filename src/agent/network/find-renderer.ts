import type { Host } from '../host/host.ts';

/** What sets up this machine's networks. */
export type RendererName = 'netplan' | 'network-manager' | 'networkd';

/** cloud-init's order (`renderers.DEFAULT_PRIORITY`), of those that Slipway writes for. */
const ORDER: readonly RendererName[] = ['netplan', 'network-manager', 'networkd'];
const NETWORKD = ['/usr/lib/systemd/systemd-networkd', '/lib/systemd/systemd-networkd'];

/**
 * What the image has for it, as cloud-init looks.
 *
 * @param named The order that the image's cloud.cfg names (`system_info: {network: {renderers}}`)
 */
export async function findRenderer(host: Host, named?: readonly string[]): Promise<RendererName | undefined> {
  const order = named === undefined ? ORDER : named.filter(isKnown);
  for (const name of order) if (await HAS[name](host)) return name;
  return undefined;
}

function isKnown(name: string): name is RendererName {
  return ORDER.some((each) => each === name);
}

const HAS: Readonly<Record<RendererName, (host: Host) => Promise<boolean>>> = {
  netplan: async (host) => (await host.processes.which('netplan')) !== undefined,
  async 'network-manager'(host) {
    if ((await host.processes.which('nmcli')) === undefined) return false;
    if ((await host.processes.which('systemctl')) === undefined) return true;
    const argv: [string, ...string[]] = ['systemctl', 'is-enabled', 'NetworkManager.service'];
    return (await host.processes.run({ argv, timeoutMs: 30_000 })).exitStatus === 0;
  },
  async networkd(host) {
    for (const path of NETWORKD) if ((await host.files.stat(path)) !== undefined) return true;
    return false;
  },
};
