import { EventEmitter, once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Bodies } from './bodies.ts';

const KIB = 1024;
let bodies: Bodies;
let server: Server;
let sent: ClientRequest[];
/** What came of each body, by its path. */
let ends: Map<string, string>;
let use: () => Promise<void>;
/** Bytes that came of each, and bodies that came whole. */
let came: Map<string, number>;
let whole: Set<string>;

beforeEach(async () => {
  bodies = new Bodies({ arriving: 64 * KIB, perPeer: 40 * KIB });
  [sent, ends, use] = [[], new Map(), async () => {}];
  [came, whole] = [new Map(), new Set()];
  server = createServer((incoming, answer) => void read(incoming).finally(() => answer.end()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const one of sent) one.destroy();
  server.closeAllConnections();
  server.close();
});

async function read(incoming: IncomingMessage): Promise<void> {
  const path = incoming.url ?? '';
  incoming.on('data', (chunk: Buffer) => came.set(path, (came.get(path) ?? 0) + chunk.length));
  try {
    const peer = path.split('/')[1] ?? '';
    await bodies.read(incoming, { peer, maxBytes: 32 * KIB }, async (bytes) => {
      whole.add(path);
      await use();
      ends.set(path, `${bytes.length}`);
    });
  } catch (error) {
    ends.set(path, (error as { code: string }).code);
    incoming.resume();
  }
}

/** Sends so many bytes of a body; `more` of it never come. */
function send(path: string, bytes: Buffer, more = 0, headers = {}): void {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const length = { 'content-length': bytes.length + more };
  const one = request({
    ...{ host: '127.0.0.1', port, path, method: 'POST', agent: false },
    headers: { ...length, ...headers },
  });
  sent.push(one.on('error', () => {}));
  if (more === 0) one.end(bytes);
  else one.write(bytes);
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await sleep(2);
}

async function ended(path: string): Promise<string | undefined> {
  await until(() => ends.has(path));
  return ends.get(path);
}

it('counts what came, not what was announced', async () => {
  for (let i = 0; i < 100; i += 1) send(`/sly/${i}`, Buffer.alloc(10), 30 * KIB);
  send('/honest', Buffer.alloc(30 * KIB));
  expect(await ended('/honest')).toBe(`${30 * KIB}`);
});

it('gives up the oldest unfinished body of the peer with the most, not one that arrives', async () => {
  for (const [path, size] of [
    ['/a/1', 20 * KIB],
    ['/a/2', 15 * KIB],
    ['/b/1', 20 * KIB],
  ] as const) {
    send(path, Buffer.alloc(size), 1);
    await until(() => came.get(path) === size);
  }
  // Of the one peer, no more than its share.
  send('/a/3', Buffer.alloc(20 * KIB), 1);
  expect(await ended('/a/3')).toBe('slow-down');
  send('/c/1', Buffer.alloc(25 * KIB));
  expect(await ended('/c/1')).toBe(`${25 * KIB}`);
  expect([ends.get('/a/1'), ends.has('/a/2'), ends.has('/b/1')]).toEqual(['unavailable', false, false]);
});

it('counts a body against its peer until it is answered, and not against what arrives', async () => {
  const answered = Promise.withResolvers<void>();
  use = () => answered.promise;
  for (const peer of ['a', 'b', 'c']) send(`/${peer}/1`, Buffer.alloc(30 * KIB));
  send('/d/1', gzipSync(Buffer.alloc(20 * KIB)), 0, { 'content-encoding': 'gzip' });
  await until(() => whole.size === 4);
  send('/d/2', gzipSync(Buffer.alloc(20 * KIB)), 0, { 'content-encoding': 'gzip' });
  expect(await ended('/d/2')).toBe('slow-down');
  answered.resolve();
  for (const peer of ['a', 'b', 'c']) expect(await ended(`/${peer}/1`)).toBe(`${30 * KIB}`);
  expect(await ended('/d/1')).toBe(`${20 * KIB}`);
  ends.delete('/d/2');
  send('/d/2', gzipSync(Buffer.alloc(20 * KIB)), 0, { 'content-encoding': 'gzip' });
  expect(await ended('/d/2')).toBe(`${20 * KIB}`);
});

it('holds little more of a body than its bytes, in however many pieces it comes', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const roomy = new Bodies({ arriving: 1024 * KIB, perPeer: 1024 * KIB });
  const incoming = Object.assign(new EventEmitter(), { headers: {} }) as unknown as IncomingMessage;
  const before = used();
  const read = roomy.read(incoming, { peer: 'sly', maxBytes: 512 * KIB }, async (bytes) => bytes);
  const record = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
  for (let at = 0; at < 512 * KIB; at += 1) incoming.emit('data', record.subarray(at % 256, (at % 256) + 1));
  expect(used() - before).toBeLessThan(8 * 1024 * KIB);
  incoming.emit('end');
  expect((await read).equals(Buffer.alloc(512 * KIB, record))).toBe(true);
});
