import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ConnectionLimits, Connections } from './connections.ts';

let server: Server;
let taken: Socket[];
let refused: string[];
let open: Socket[];
let now = 0;

beforeEach(() => {
  server = createServer();
  [taken, refused, open, now] = [[], [], [], 0];
  server.on('connection', (socket) => taken.push(socket.on('error', () => {})));
});
afterEach(() => {
  for (const socket of open) socket.destroy();
  server.close();
});

async function listen(limits: ConnectionLimits): Promise<Connections> {
  const connections = new Connections(
    server,
    limits,
    (why) => refused.push(why),
    () => now,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return connections;
}

/** @returns what the server has of it; undefined where it is not taken */
async function knock(from: string): Promise<Socket | undefined> {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const [before, told] = [taken.length, refused.filter((why) => why !== 'displaced').length];
  open.push(connect({ host: '127.0.0.1', port, localAddress: from }).on('error', () => {}));
  const isTold = (): boolean => refused.filter((why) => why !== 'displaced').length > told;
  while (taken.length === before && !isTold()) await sleep(2);
  return taken[before];
}

async function times(count: number, from: string): Promise<(Socket | undefined)[]> {
  const found: (Socket | undefined)[] = [];
  for (let i = 0; i < count; i += 1) found.push(await knock(from));
  return found;
}

const NO_RUSH = { newPerSecond: 1_000 };

it('gives one address so many new connections a second, whatever others do', async () => {
  const connections = await listen({ perAddress: 8, total: 100, newPerSecond: 2 });
  const takenOf = async (count: number): Promise<number> => {
    const found = await times(count, '127.0.5.1');
    for (const socket of open.splice(0)) socket.destroy();
    while (connections.total > 0) await sleep(2);
    return found.filter((socket) => socket !== undefined).length;
  };
  expect(await takenOf(12)).toBe(8);
  now += 1_500;
  expect(await takenOf(6)).toBe(3);
  expect(new Set(refused)).toEqual(new Set(['connects-of-address']));
  expect(connections.closed).toBe(11);
  expect(await knock('127.0.5.2')).toBeDefined();
});

it('closes the oldest connection of an address that has too many', async () => {
  const connections = await listen({ perAddress: 4, total: 100, ...NO_RUSH });
  const [oldest, ...others] = await times(4, '127.0.5.1');
  now += 1_000;
  const next = await knock('127.0.5.1');
  expect([oldest?.destroyed, next?.destroyed, connections.total]).toEqual([true, false, 4]);
  expect(others.some((socket) => socket?.destroyed)).toBe(false);
  expect(refused).toEqual(['displaced']);
});

it('makes room at the cost of the address with the most connections, never of a request that has arrived', async () => {
  const connections = await listen({ perAddress: 10, total: 20, ...NO_RUSH });
  const [loner] = await times(1, '127.0.5.1');
  const crowd = await times(9, '127.0.5.2');
  const over = connections.arrived(crowd[0] as Socket);
  expect(await knock('127.0.5.3')).toBeDefined();
  expect(crowd.map((socket) => socket?.destroyed).slice(0, 3)).toEqual([false, true, false]);
  expect(loner?.destroyed).toBe(false);
  over();
  expect(await knock('127.0.5.4')).toBeDefined();
  expect(crowd[0]?.destroyed).toBe(true);
  // Where every request has arrived, nobody goes.
  for (const socket of taken) connections.arrived(socket);
  expect(await knock('127.0.5.5')).toBeUndefined();
  expect(refused.at(-1)).toBe('connections');
});

it('keeps half of the room for machines that have shown a certificate, so many connections for each', async () => {
  const connections = await listen({ perAddress: 10, total: 40, ...NO_RUSH });
  const old = await times(8, '127.0.5.1');
  for (const socket of old) connections.proved(socket as Socket, 'default/m1');
  // Strangers of two addresses, more than there is room for.
  now += 1_000;
  await times(30, '127.0.5.2');
  await times(30, '127.0.5.3');
  expect(old.some((socket) => socket?.destroyed)).toBe(false);
  expect(connections.total).toBe(28);
  const next = await knock('127.0.5.1');
  connections.proved(next as Socket, 'default/m1');
  expect([old[0]?.destroyed, next?.destroyed]).toEqual([true, false]);
});

it('lets addresses of machines connect while strangers use up what all of them may', async () => {
  const connections = await listen({ perAddress: 50, total: 1_000, newPerSecond: 5 });
  connections.proved((await knock('127.0.5.1')) as Socket, 'default/m1');
  const crowd = await times(30, '127.0.5.2');
  expect(crowd.filter((socket) => socket !== undefined)).toHaveLength(4 + 10);
  expect(refused.at(-1)).toBe('connects');
  expect((await times(20, '127.0.5.1')).every((socket) => socket !== undefined)).toBe(true);
  // An address that never came before is no part of the crowd.
  expect((await times(2, '127.0.5.3')).every((socket) => socket !== undefined)).toBe(true);
});
