import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Connections } from './connections.ts';

it('gives one address so many connections at once and so many new ones a second, whatever others do', async () => {
  const server = createServer();
  const refused: string[] = [];
  const connections = new Connections(server, { perAddress: 8, total: 12, newPerSecond: 2 }, (why) =>
    refused.push(why),
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
    for (const end = Date.now() + 2000; connections.total === before && refused.length === told; ) {
      if (Date.now() > end) throw new Error('nothing happened to the connection');
      await sleep(2);
    }
    return refused.length === told;
  };
  const hangUp = async (): Promise<void> => {
    for (const socket of open.splice(0)) socket.destroy();
    for (const end = Date.now() + 2000; connections.total > 0 && Date.now() < end; ) await sleep(2);
  };
  try {
    // One after the other, closed at once: the burst, then two a second.
    let taken = 0;
    for (let i = 0; i < 20; i += 1) {
      if (await knock('127.0.5.1')) taken += 1;
      await hangUp();
    }
    expect(taken).toBeGreaterThanOrEqual(8);
    expect(taken).toBeLessThan(14);
    expect(new Set(refused)).toEqual(new Set(['connects-of-address']));
    expect(connections.closed).toBe(taken);
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
