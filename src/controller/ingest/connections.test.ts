import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Connections } from './connections.ts';

it('gives one address so many connections at once and so many new ones a second, whatever others do', async () => {
  const server = createServer();
  const refused: string[] = [];
  let now = 0;
  const connections = new Connections(
    server,
    { perAddress: 8, total: 12, newPerSecond: 2 },
    (why) => refused.push(why),
    () => now,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const open: Socket[] = [];
  /** @returns is it taken? */
  const knock = async (from: string): Promise<boolean> => {
    const before = connections.total;
    const socket = connect({ host: '127.0.0.1', port, localAddress: from }).on('error', () => {});
    open.push(socket);
    const told = refused.length;
    while (connections.total === before && refused.length === told) await sleep(2);
    return refused.length === told;
  };
  const hangUp = async (): Promise<void> => {
    for (const socket of open.splice(0)) socket.destroy();
    while (connections.total > 0) await sleep(2);
  };
  try {
    // One after the other, closed at once: the burst, then two a second.
    const takenOf = async (count: number): Promise<number> => {
      let taken = 0;
      for (let i = 0; i < count; i += 1) {
        if (await knock('127.0.5.1')) taken += 1;
        await hangUp();
      }
      return taken;
    };
    expect(await takenOf(12)).toBe(8);
    now += 1_500;
    expect(await takenOf(6)).toBe(3);
    expect(new Set(refused)).toEqual(new Set(['connects-of-address']));
    expect(connections.closed).toBe(11);
    // Held open: its share, then what all share.
    refused.length = 0;
    for (let i = 0; i < 8; i += 1) expect(await knock('127.0.5.2')).toBe(true);
    expect(await knock('127.0.5.2')).toBe(false);
    for (let i = 0; i < 4; i += 1) expect(await knock('127.0.5.3')).toBe(true);
    expect(await knock('127.0.5.4')).toBe(false);
    expect(refused).toEqual(['connections-of-address', 'connections']);
  } finally {
    await hangUp();
    server.close();
  }
});
