import { createHash, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:https';
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { expensiveChain } from '../../../test/support/tls/expensive-chain.ts';
import { Authority } from '../../pki/authority.ts';
import { createKey } from '../../pki/csr.ts';
import { addressOf, guardHandshakes, rawSocket } from './guard-handshakes.ts';
import { HandshakeBudget } from './handshake-budget.ts';
import { HANDSHAKE_BYTES, HandshakeGate } from './handshake-gate.ts';

const HOUR_MS = 3_600_000;
const [old, present] = [Authority.create('Slipway controller'), Authority.create('Slipway controller')].map(
  ({ certificate, privateKey }) => new Authority(certificate, privateKey),
) as [Authority, Authority];
const cross = old.vouchFor(present, new Date(Date.now() + HOUR_MS));
const key = createKey();
/** The longest names that a machine can have. */
const longest = present.sign(
  {
    ...{
      use: 'client',
      name: 'n'.repeat(64),
      organization: 'slipway:nodes',
      publicKey: createPublicKey(key),
    },
    uri: `slipway:node/${'s'.repeat(63)}/${'n'.repeat(253)}/${createHash('sha256').update(key).digest('hex')}`,
  },
  HOUR_MS,
).certificate;

let chain: ReturnType<typeof expensiveChain>;
beforeAll(() => {
  chain = expensiveChain(61);
});

let close: (() => void) | undefined;
let refused: string[] = [];
let shown: { address: string; authorized: boolean; sent: number }[] = [];
afterEach(() => {
  close?.();
  [refused, shown] = [[], []];
});

/** A server as machines know it; it answers with the length of what was sent. */
async function listen(strangers?: HandshakeBudget): Promise<number> {
  const server = createServer(
    {
      ...present.server(['127.0.0.1'], HOUR_MS),
      ...{ ca: present.certificate + old.certificate, minVersion: 'TLSv1.3' },
      ...{ requestCert: true, rejectUnauthorized: false },
    },
    (asked, answer) => {
      let bytes = 0;
      asked.on('data', (chunk: Buffer) => (bytes += chunk.length));
      asked.on('end', () => answer.end(String(bytes)));
    },
  );
  guardHandshakes(server, {
    isKnown: () => false,
    refused: (why) => refused.push(why),
    ...(strangers ? { strangers } : {}),
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const [address, { authorized }] = [addressOf(socket), socket];
    shown.push({ address, authorized, sent: rawSocket(socket).bytesRead });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return (server.address() as AddressInfo).port;
}

/** However it ends. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once('close', () => resolve()));
}

/** Asks for a page. @returns was it answered? And the ticket for the next session */
async function shakeHands(
  port: number,
  { from = '127.0.0.1', ...options }: ConnectionOptions & { from?: string },
): Promise<{ isAnswered: boolean; session?: Buffer }> {
  const ca = [present.certificate, old.certificate];
  const raw = connect({ host: '127.0.0.1', port, localAddress: from }).on('error', () => {});
  const socket = connectTls({ socket: raw, host: '127.0.0.1', ca, ...options }).on('error', () => {});
  let session: Buffer | undefined;
  let isAnswered = false;
  socket.once('session', (ticket: Buffer) => (session = ticket));
  socket.once('secureConnect', () => socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'));
  socket.on('data', () => (isAnswered = true));
  await closed(socket);
  return { isAnswered, ...(session ? { session } : {}) };
}

it('closes a connection with a monstrous chain before anything of it is verified', async () => {
  const port = await listen();
  expect(await shakeHands(port, { ...chain, from: '127.0.5.7' })).toEqual({ isAnswered: false });
  expect([refused, shown]).toEqual([['handshake-bytes'], []]);
});

it('lets the largest handshake of our own through, and knows whose it is', async () => {
  const port = await listen();
  const own = { cert: longest + cross, key, ca: [present.certificate, old.certificate, cross] };
  const { session } = await shakeHands(port, { ...own, from: '127.0.5.7' });
  if (!session) throw new Error('there is no ticket');
  // With a ticket, and a key share of a group that the server does not have first.
  for (const ecdhCurve of ['auto', 'ffdhe4096:P-256'])
    expect(await shakeHands(port, { ...own, ecdhCurve, session })).toMatchObject({ isAnswered: true });
  expect(shown.map(({ address, authorized }) => [address, authorized])).toEqual([
    ['127.0.5.7', true],
    ['127.0.0.1', true],
    ['127.0.0.1', true],
  ]);
  for (const { sent } of shown) expect(sent).toBeLessThan(HANDSHAKE_BYTES * 0.75);
  expect(refused).toEqual([]);
});

it('takes a request that comes at once with the end of the handshake, however long it is', async () => {
  const port = await listen();
  const body = Buffer.alloc(1_000_000, 0x20);
  const asked = request({
    ...{ host: '127.0.0.1', port, method: 'POST', cert: longest, key, ca: present.certificate },
    headers: { 'content-length': body.length },
  });
  asked.end(body);
  const [answer] = await once(asked, 'response');
  expect(String(await once(answer, 'data'))).toBe(String(body.length));
  expect(refused).toEqual([]);
});

it('closes a connection that sends what is no handshake, and one that goes away within', async () => {
  const port = await listen();
  for (const bytes of [Buffer.alloc(70_000, 0x16), Buffer.from('GET / HTTP/1.1\r\n\r\n')]) {
    const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
    socket.resume();
    socket.write(bytes);
    await closed(socket);
  }
  const leaves = connect({ host: '127.0.0.1', port }).on('error', () => {});
  leaves.end(Buffer.from('160301', 'hex'));
  leaves.resume();
  await closed(leaves);
  expect(shown).toEqual([]);
});

it('knows whose a handshake is that had to wait for its turns', async () => {
  let spent = 0;
  const turns = new HandshakeBudget(
    { msPerSecond: 1_000, burstMs: 1, mostWaiting: 100 },
    undefined,
    () => (spent += 5),
  );
  const port = await listen(turns);
  const from = Array.from({ length: 20 }, (_, at) => `127.0.5.${at + 1}`);
  const ends = await Promise.all(from.map((address) => shakeHands(port, { from: address })));
  expect(ends.every(({ isAnswered }) => isAnswered)).toBe(true);
  expect(new Set(shown.map(({ address }) => address))).toEqual(new Set(from));
});

it('takes no answer to a connection that has ended for an error', async () => {
  const errors: string[] = [];
  const server = createNetServer((raw) => {
    const gate = new HandshakeGate(raw, { turn: (step) => step(), refused: () => undefined });
    gate.on('error', ({ message }: Error) => errors.push(message));
    gate.once('end', () => gate.write('the last word of TLS'));
    gate.once('close', () => server.close());
    gate.resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  connect((server.address() as AddressInfo).port, '127.0.0.1')
    .end('hello')
    .resume();
  await once(server, 'close');
  expect(errors).toEqual([]);
});
