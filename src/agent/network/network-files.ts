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
