import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { execaSync } from 'execa';
import { type CloudServer, type Fault, serveCloud } from './cloud-server.ts';
import { PROTOCOLS } from './protocols.ts';

const FIXTURES = join(import.meta.dirname, '../../../src/agent/userdata/sources/images/fixtures');

/** A machine in a directory, and the clouds around it. */
export interface Stage {
  /** The machine's files, e.g. its DMI. */
  files: Record<string, string>;
  /** Images of the readers' fixtures by the device that each lies on, such as `sr0`. */
  images?: Record<string, string>;
  env?: Record<string, string>;
  /** Servers by protocol, at an address (`%lo` behind one of the link) or at the path of a socket; none: nobody answers. */
  servers?: { protocol: string; address: string; port?: number; faults?: Fault[]; lateMs?: number }[];
  /** Further addresses without anybody behind them. */
  addresses?: string[];
}

/**
 * Sets a machine up, with its clouds at their own addresses on this network namespace's loopback, which must be up.
 *
 * @param root a directory to set it up in; default: a new one, which is removed
 * @returns what `use` made of it, and the requests that the clouds got
 */
export async function staged<T>(
  { files, images = {}, env = {}, servers = [], addresses = [] }: Stage,
  use: (root: string) => Promise<T>,
  given?: string,
): Promise<{ result: T; requests: string[] }> {
  const root = given ?? mkdtempSync(join(tmpdir(), 'slipway-stage-'));
  const all = [...new Set([...servers.map(({ address }) => address), ...addresses])];
  const numbers = all.filter((address) => !address.startsWith('/'));
  const up: CloudServer[] = [];
  try {
    for (const address of numbers) ip('add', address);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content, content.startsWith('#!') ? { mode: 0o755 } : {});
    }
    for (const [device, image] of Object.entries(images)) {
      mkdirSync(join(root, 'sys/class/block', device), { recursive: true });
      mkdirSync(join(root, 'dev'), { recursive: true });
      writeFileSync(join(root, 'dev', device), gunzipSync(readFileSync(join(FIXTURES, `${image}.gz`))));
    }
    Object.assign(process.env, env);
    for (const { protocol, address, port = 80, faults = [], lateMs = 0 } of servers) {
      const speaks = PROTOCOLS[protocol];
      if (speaks === undefined) throw new Error(`there is no protocol ${protocol}`);
      const isSocket = address.startsWith('/');
      if (isSocket) mkdirSync(dirname(join(root, address)), { recursive: true });
      const place = isSocket ? { path: join(root, address) } : { host: address, port };
      up.push(await serveCloud(place, speaks(), faults, lateMs));
    }
    const result = await use(root);
    return { result, requests: up.flatMap(({ requests }) => requests) };
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    for (const server of up) await server.close();
    for (const address of numbers) ip('del', address);
    if (given === undefined) rmSync(root, { recursive: true });
  }
}

function ip(verb: 'add' | 'del', address: string): void {
  const isSix = address.includes(':');
  const place = `${address.replace('%lo', '')}/${isSix ? 128 : 32}`;
  execaSync('ip', ['addr', verb, place, 'dev', 'lo', ...(isSix && verb === 'add' ? ['nodad'] : [])]);
}
