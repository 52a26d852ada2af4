import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { createLinuxHost } from '../../../src/agent/host/linux/host.ts';
import type { SourceAnswer } from '../../../src/agent/userdata/sources/contract/answer.ts';
import { findUserData } from '../../../src/agent/userdata/sources/find.ts';
import { type CloudServer, type Fault, serveCloud } from './cloud-server.ts';
import { PROTOCOLS } from './protocols.ts';

const FIXTURES = join(import.meta.dirname, '../../../src/agent/userdata/sources/images/fixtures');

/** One machine's search for its user data, against a cloud that behaves in some way. */
export interface Play {
  name: string;
  /** The machine's files, e.g. its DMI. */
  files: Record<string, string>;
  /** Images of the readers' fixtures by the device that each lies on, such as `sr0`. */
  images?: Record<string, string>;
  env?: Record<string, string>;
  /** Servers by protocol, at an address or at the path of a socket; none: nobody answers. */
  servers?: { protocol: string; address: string; port?: number; faults?: Fault[]; lateMs?: number }[];
  /** Further addresses without anybody behind them. */
  addresses?: string[];
  source?: string;
  patienceMs?: number;
  /** Are duties paid, as a bootstrap does? */
  pays?: boolean;
}

/** What came of it; bytes as latin1. */
export interface Played {
  name: string;
  answer: Record<string, unknown>;
  userData: string;
  requests: string[];
}

async function play({
  name,
  files,
  servers = [],
  addresses = [],
  source,
  patienceMs = 6_000,
  pays,
  images = {},
  env = {},
}: Play): Promise<Played> {
  const root = mkdtempSync(join(tmpdir(), 'slipway-play-'));
  const all = [...new Set([...servers.map(({ address }) => address), ...addresses])].filter(
    (address) => !address.startsWith('/'),
  );
  const up: CloudServer[] = [];
  try {
    for (const address of all) ip('add', address);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
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
    const host = createLinuxHost({ root });
    const answer: SourceAnswer = await findUserData(host, {
      patienceMs,
      ...(source === undefined ? {} : { source }),
    });
    if (pays && answer.kind === 'found') for (const { pay } of answer.duties ?? []) await pay();
    const userData = answer.kind === 'found' ? answer.userData.toString('latin1') : '';
    return { name, answer: { ...answer }, userData, requests: up.flatMap(({ requests }) => requests) };
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    for (const server of up) await server.close();
    for (const address of all) ip('del', address);
    rmSync(root, { recursive: true });
  }
}

function ip(verb: 'add' | 'del', address: string): void {
  const bits = address.includes(':') ? 128 : 32;
  execFileSync('ip', [
    'addr',
    verb,
    `${address}/${bits}`,
    'dev',
    'lo',
    ...(bits === 128 && verb === 'add' ? ['nodad'] : []),
  ]);
}

execFileSync('ip', ['link', 'set', 'lo', 'up']);
const plays = JSON.parse(await text(process.stdin)) as Play[];
const played: Played[] = [];
for (const each of plays) played.push(await play(each));
process.stdout.write(
  JSON.stringify(played, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)),
);
