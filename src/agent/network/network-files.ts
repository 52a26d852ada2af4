import type { Host } from '../host/host.ts';
import type { RenderedFile } from './render/rendered.ts';

/** Directories with files of Slipway's, by their whole names: what an operator lays beside them is theirs. */
const OWN = [
  { directory: '/etc/systemd/network', form: /^10-slipway-.+\.(?:network|netdev|link)$/ },
  { directory: '/etc/NetworkManager/system-connections', form: /^slipway-.+\.nmconnection$/ },
  { directory: '/etc/netplan', form: /^60-slipway\.yaml$/ },
];

/** The files of one configuration, and what lay in their place. */
export class NetworkFiles {
  readonly #host: Host;
  readonly #wanted: readonly RenderedFile[];
  /** By path; of files that were not there, nothing. */
  readonly #before: ReadonlyMap<string, Before | undefined>;

  private constructor(host: Host, wanted: readonly RenderedFile[], before: Map<string, Before | undefined>) {
    this.#host = host;
    this.#wanted = wanted;
    this.#before = before;
  }

  static async open(host: Host, wanted: readonly RenderedFile[]): Promise<NetworkFiles> {
    const before = new Map<string, Before | undefined>();
    for (const { directory, form } of OWN)
      for (const name of await host.files.list(directory))
        if (form.test(name)) before.set(`${directory}/${name}`, undefined);
    for (const path of [...before.keys(), ...wanted.map(({ path }) => path)])
      before.set(path, await present(host, path));
    return new NetworkFiles(host, wanted, before);
  }

  get differ(): boolean {
    const wanted = new Map(this.#wanted.map(({ path, content }) => [path, content]));
    return [...this.#before].some(([path, was]) => was?.bytes.toString('utf8') !== wanted.get(path));
  }

  /** Files of an earlier configuration that nobody wants any more go. */
  async write(): Promise<void> {
    const wanted = this.#wanted.map(({ path }) => path);
    // The new ones first: a full disk leaves what was there.
    await this.#host.files.writeAll(
      this.#wanted.map(({ path, content, mode }) => ({ path, content, options: { mode, owner: '0:0' } })),
    );
    for (const path of this.#before.keys()) if (!wanted.includes(path)) await this.#host.files.remove(path);
  }

  async putBack(): Promise<void> {
    for (const [path, was] of this.#before) {
      const now = await present(this.#host, path);
      // A full disk takes not even what lies there already.
      if (now?.mode === was?.mode && now?.bytes.equals(was?.bytes ?? Buffer.alloc(0))) continue;
      if (was === undefined) await this.#host.files.remove(path);
      // NetworkManager reads no connection that others may read.
      else await this.#host.files.write(path, was.bytes, { mode: was.mode, owner: was.owner });
    }
  }
}

interface Before {
  bytes: Buffer;
  mode: number;
  owner: string;
}

async function present(host: Host, path: string): Promise<Before | undefined> {
  const [bytes, stat] = [await host.files.readIfPresent(path), await host.files.stat(path)];
  return bytes && stat && { bytes, mode: stat.mode & 0o7777, owner: `${stat.uid}:${stat.gid}` };
}

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
