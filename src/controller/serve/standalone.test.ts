import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { connect as plainConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrapEvents, SimulatedMachine } from '../../../test/support/controller/simulated-machine.ts';
import { createCsr, createKey } from '../../pki/csr.ts';
import { SqliteTokens } from '../attest/sqlite-tokens.ts';
import { makeToken } from '../attest/token.ts';
import { sqliteKeys } from '../keys/keys.ts';
import { createLog } from '../log.ts';
import { SqliteStore } from '../store/sqlite-store.ts';
import type { Running } from './running.ts';
import { databasePath, serveStandalone } from './standalone.ts';

const dir = mkdtempSync(join(tmpdir(), 'slipway-standalone-'));
const logged: string[] = [];
const settings = {
  listen: { host: '127.0.0.1', port: 0 },
  adminListen: { host: '127.0.0.1', port: 0 },
  probeListen: { host: '127.0.0.1', port: 0 },
  names: ['127.0.0.1'],
  connectionsPerAddress: 64,
  connectionsTotal: 500,
  strangersPerSecond: 1000,
  certificateMs: 3_600_000,
  checkInSeconds: 300,
  keepsIdentifiers: false,
  logLevel: 'info',
  data: dir,
} as const;

let running: Running;
let reading: SqliteStore;
let ca: string;

beforeAll(async () => {
  running = await serveStandalone(
    settings,
    createLog((line) => logged.push(line)),
  );
  reading = new SqliteStore(databasePath(dir));
  ca = (await sqliteKeys(reading)).authority.certificate;
});
afterAll(async () => {
  await running.stop();
  await reading.close();
  rmSync(dir, { recursive: true, force: true });
});

async function newToken(machine?: string, lifetimeMs = 60_000): Promise<string> {
  const { token, record } = makeToken({
    namespace: 'default',
    expiresAt: Date.now() + lifetimeMs,
    ...(machine === undefined ? {} : { machine }),
  });
  await new SqliteTokens(reading).add(record);
  return token;
}

function simulated(more: { instance?: string; from?: string } = {}): SimulatedMachine {
  return new SimulatedMachine({ port: running.port, ca, ...more });
}

async function enrolled(name: string): Promise<SimulatedMachine> {
  const machine = simulated();
  await machine.enrol(await newToken(name));
  return machine;
}

const metrics = (): Promise<string> =>
  new Promise((resolve, reject) => {
    plainRequest({ host: '127.0.0.1', port: running.adminPort, path: '/metrics' }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => resolve(text));
    })
      .once('error', reject)
      .end();
  });

const refusals = async (reason: string): Promise<number> =>
  Number(new RegExp(`slipway_refusals_total\\{reason="${reason}"\\} (\\d+)`).exec(await metrics())?.[1] ?? 0);

describe('a standalone controller', () => {
  it('stores each event once and in order, and says what it has stored', async () => {
    const machine = await enrolled('m1');
    for (const body of bootstrapEvents(40)) machine.tell(body);
    const all = [...machine.spool];
    machine.spool = all.slice(0, 10);
    expect(await machine.report()).toBe(10);
    // A replay, then one that overlaps, then the rest, packed.
    const post = (events: typeof all): Promise<{ status: number; body: string }> =>
      machine.post('/v1/events', machine.batch(events));
    expect(JSON.parse((await post(all.slice(0, 10))).body)).toEqual({ version: 1, stored: 10 });
    expect(JSON.parse((await post(all.slice(5, 20))).body).stored).toBe(20);
    const zipped = gzipSync(JSON.stringify(machine.batch(all)));
    const last = await machine.post('/v1/events', zipped, { 'content-encoding': 'gzip' });
    expect(JSON.parse(last.body).stored).toBe(40);
    const events = await reading.events('default', 'm1');
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const record = await reading.find('default', 'm1');
    expect(record?.summary).toMatchObject({ phase: 'Succeeded', events: 40, lost: 0, ms: 42_000 });
    machine.hangUp();
  });

  it('counts on where a machine lost its spool and numbers from 1 in a new boot; counts what never came', async () => {
    const machine = await enrolled('m2');
    machine.tell({ type: 'fact', name: 'a', value: '1' });
    machine.tell({ type: 'fact', name: 'a', value: '2' });
    await machine.report();
    machine.seq = 0;
    machine.boot = randomUUID();
    machine.tell({ type: 'fact', name: 'a', value: '3' });
    expect(await machine.report()).toBe(1);
    machine.seq = 4;
    machine.tell({ type: 'fact', name: 'a', value: '4' });
    expect(await machine.report()).toBe(5);
    const events = await reading.events('default', 'm2');
    expect(events.map((event) => 'value' in event && event.value)).toEqual(['1', '2', '3', '4']);
    expect((await reading.find('default', 'm2'))?.summary.lost).toBe(3);
    machine.hangUp();
  });

  it('lets a token enrol one machine, once; the same machine may ask again', async () => {
    const token = await newToken('m3');
    const machine = simulated();
    await machine.enrol(token);
    const again = new SimulatedMachine({ port: running.port, ca, instance: machine.identity.instance });
    // Its answer got lost: the same key comes again.
    const csr = createCsr(machine.key, 'x');
    const repeated = await again.post('/v1/enroll', { version: 1, token, csr, machine: machine.identity });
    expect(repeated.status).toBe(200);
    const thief = simulated();
    await expect(thief.enrol(token)).rejects.toThrow('401 {"error":"unauthorized"}');
    for (const wrong of [token.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A')), 'x'.repeat(40)]) {
      await expect(thief.enrol(wrong)).rejects.toThrow('401 {"error":"unauthorized"}');
    }
    // Who has a genuine one is no stranger.
    await expect(thief.enrol(await newToken('m4', -1))).rejects.toThrow(
      /401 .*"words":"The token \w+ has expired/,
    );
    expect(logged.join('')).toMatch(/m3 has enrolled already, with another key/);
    expect(logged.join('')).toMatch(/has expired/);
    expect(logged.join('')).not.toContain(token);
    for (const one of [machine, again, thief]) one.hangUp();
  });

  it('lets many machines of a pool enrol by one token', async () => {
    const token = await newToken();
    const machines = Array.from({ length: 20 }, (_, i) => simulated({ from: `127.0.1.${i + 1}` }));
    await Promise.all(machines.map((machine) => machine.enrol(token)));
    for (const machine of machines) machine.tell({ type: 'fact', name: 'x', value: 'y' });
    await Promise.all(machines.map((machine) => machine.report()));
    const nodes = (await reading.list('default')).filter(
      ({ spec }) => spec.enrolment.method === 'pool-token',
    );
    expect(new Set(nodes.map(({ spec }) => spec.instance)).size).toBe(20);
    for (const machine of machines) machine.hangUp();
  });

  it('renews a certificate over the old one, for another key too', async () => {
    const machine = await enrolled('m5');
    const key = createKey();
    const asked = { version: 1, csr: createCsr(key, 'x'), machine: machine.identity };
    const answer = await machine.post('/v1/enroll', asked);
    expect(answer.status).toBe(200);
    const next = simulated({ instance: machine.identity.instance });
    Object.assign(next, { key });
    next.certificate = JSON.parse(answer.body).certificate as string;
    next.tell({ type: 'fact', name: 'x', value: 'y' });
    expect(await next.report()).toBe(1);
    const stranger = simulated();
    expect((await stranger.post('/v1/enroll', asked)).status).toBe(401);
    for (const one of [machine, next, stranger]) one.hangUp();
  });

  it("refuses events without a certificate, and another machine's", async () => {
    const machine = await enrolled('m6');
    const other = simulated();
    other.tell({ type: 'fact', name: 'x', value: 'y' });
    await expect(other.report()).rejects.toThrow('401 {"error":"unauthorized"}');
    const batch = other.batch(other.spool);
    const answer = await machine.post('/v1/events', batch);
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body).words).toMatch(/given to another one/);
    expect((await reading.find('default', 'm6'))?.seq).toBe(0);
    for (const one of [machine, other]) one.hangUp();
  });

  it('refuses what is no batch, with the right word', async () => {
    const machine = await enrolled('m7');
    const good = JSON.stringify(machine.batch([machine.tell({ type: 'fact', name: 'x', value: 'y' })]));
    const cases: [Buffer, Record<string, string>, number, string][] = [
      [Buffer.concat([Buffer.from(good.slice(0, -2)), Buffer.from([0xff, 0xfe])]), {}, 400, 'bad-request'],
      [Buffer.from('['.repeat(100_000)), {}, 400, 'bad-request'],
      [Buffer.from('{"a":'.repeat(50_000)), {}, 400, 'bad-request'],
      [Buffer.from(good.replace('"version":1', '"version":9')), {}, 400, 'unsupported-version'],
      [Buffer.from(good), { 'content-encoding': 'br' }, 400, 'bad-request'],
      [Buffer.from(good), { 'content-encoding': 'gzip' }, 400, 'bad-request'],
      [gzipSync(Buffer.alloc(32 * 1024 * 1024)), { 'content-encoding': 'gzip' }, 413, 'too-large'],
    ];
    for (const [body, headers, status, error] of cases) {
      const answer = await machine.post('/v1/events', body, headers);
      expect([answer.status, JSON.parse(answer.body).error]).toEqual([status, error]);
    }
    expect((await machine.post('/v1/other', {})).status).toBe(404);
    expect(await machine.report()).toBe(1);
    machine.hangUp();
  });

  it('does not read a body of 1 GB, announced or not', async () => {
    const machine = await enrolled('m8');
    const options = {
      host: '127.0.0.1',
      port: running.port,
      ca,
      cert: machine.certificate,
      key: machine.key,
    };
    const before = process.memoryUsage().rss;
    for (const head of ['content-length: 1073741824', 'transfer-encoding: chunked']) {
      const socket = await tls(options);
      const answered = once(socket, 'data');
      socket.on('error', () => {});
      socket.setMaxListeners(0);
      socket.write(`POST /v1/events HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
      const megabyte = Buffer.alloc(1024 * 1024, 0x20);
      const piece = head.startsWith('t')
        ? Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')])
        : megabyte;
      const closed = new Promise((resolve) => socket.once('close', resolve));
      for (let sent = 0; !socket.destroyed && sent < 1024; sent += 1) {
        if (!socket.write(piece)) {
          await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
        }
      }
      expect(socket.destroyed).toBe(true);
      expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 413 /);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    machine.hangUp();
  });

  it('serves others while a slow loris holds what it can', async () => {
    const slow: (TLSSocket | ReturnType<typeof plainConnect>)[] = [];
    let isServed = false;
    const options = { host: '127.0.0.1', port: running.port, ca, localAddress: '127.0.3.1' };
    for (let i = 0; i < 40; i += 1) {
      const socket = await tls(options);
      socket.on('error', () => {});
      socket.write('POST /v1/events HTTP/1.1\r\nhost: x\r\n');
      slow.push(socket);
    }
    // These do not even begin to shake hands, and come again until the machine has been served.
    const linger = (): void => {
      const socket = plainConnect(options).on('error', () => {});
      socket.on('close', () => void sleep(200).then(() => isServed || linger()));
      slow.push(socket);
    };
    for (let i = 0; i < 60; i += 1) linger();
    while ((await refusals('displaced')) <= 30) await sleep(20);
    const machine = await enrolled('m9');
    machine.tell({ type: 'fact', name: 'x', value: 'y' });
    expect(await machine.report()).toBe(1);
    // It did not wait until they were gone, which they are when their time is over.
    const held = (): number => slow.filter(({ destroyed }) => !destroyed).length;
    expect(held()).toBeGreaterThan(0);
    isServed = true;
    while (held() > 0) await sleep(100);
    machine.hangUp();
  });

  it('stores no secret that an older agent tells', async () => {
    const machine = await enrolled('m12');
    const secret = `ghp_${'aB3'.repeat(12)}`;
    machine.tell({ type: 'fact', name: 'x', value: `got ${secret}` });
    expect(await machine.report()).toBe(1);
    expect(JSON.stringify(await reading.events('default', 'm12'))).toMatch(/got \[redacted\]/);
    expect(JSON.stringify(await reading.find('default', 'm12'))).not.toContain(secret);
    machine.hangUp();
  });

  it('speaks no TLS below 1.3', async () => {
    await expect(tls({ host: '127.0.0.1', port: running.port, ca, maxVersion: 'TLSv1.2' })).rejects.toThrow();
  });

  it('slows down a machine that asks all the time, and nobody else', async () => {
    const machine = await enrolled('m10');
    const other = await enrolled('m11');
    machine.tell({ type: 'fact', name: 'x', value: 'y' });
    const ask = () => machine.post('/v1/events', machine.batch(machine.spool));
    let slowed: Awaited<ReturnType<typeof ask>> | undefined;
    while (!slowed) {
      const answers = await Promise.all(Array.from({ length: 30 }, ask));
      slowed = answers.find(({ status }) => status === 429);
    }
    expect(Number(slowed.headers['retry-after'])).toBeGreaterThan(0);
    other.tell({ type: 'fact', name: 'x', value: 'y' });
    expect(await other.report()).toBe(1);
    for (const one of [machine, other]) one.hangUp();
  });

  it('tells its state, and keeps keys to itself', async () => {
    const text = await metrics();
    expect(text).toMatch(/^slipway_events_stored_total \d+$/m);
    expect(text).toMatch(/^slipway_admission_seconds_bucket\{le="0.05"\} \d+$/m);
    expect(await refusals('unauthorized')).toBeGreaterThan(3);
    expect(statSync(databasePath(dir)).mode & 0o077).toBe(0);
    expect(logged.join('')).not.toContain('PRIVATE KEY');
    expect(readFileSync(databasePath(dir)).includes('slwt.')).toBe(false);
  });
});

function tls(options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tlsConnect(options, () => resolve(socket));
    socket.once('error', reject);
  });
}
