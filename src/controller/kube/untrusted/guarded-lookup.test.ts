import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient } from '../client.ts';
import { guardedLookup } from './guarded-lookup.ts';
import { TENANT } from './limits.ts';

type Found = { address: string; family: number };

describe('the lookup of a name that a tenant chose', () => {
  const answers = (...lists: string[][]) => {
    let asked = 0;
    return (_: string, answer: (error: Error | null, found: Found[]) => void) => {
      const list = lists[Math.min(asked, lists.length - 1)] ?? [];
      asked += 1;
      setImmediate(
        answer,
        null,
        list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
  };
  const look = (resolve: Parameters<typeof guardedLookup>[0], all = true): Promise<unknown> =>
    new Promise((done, fail) => {
      guardedLookup(resolve)('evil.example', { all }, (error, found) => (error ? fail(error) : done(found)));
    });

  it('gives the addresses that are connected to, without those that are not allowed', async () => {
    const mixed = answers(['127.0.0.1', '10.0.0.7', '::1', 'fd00::7']);
    expect(await look(mixed)).toEqual([
      { address: '10.0.0.7', family: 4 },
      { address: 'fd00::7', family: 6 },
    ]);
    expect(await look(mixed, false)).toBe('10.0.0.7');
  });

  it('refuses a name that means no other ones, in words', async () => {
    for (const address of ['127.0.0.1', '169.254.169.254', '::ffff:169.254.169.254'])
      await expect(look(answers([address]))).rejects.toThrow(
        `evil.example (${address}) is ${address.startsWith('127') ? 'an address of this machine itself' : 'a metadata service'}`,
      );
    await expect(look(answers([]))).rejects.toThrow(/no address at all/);
  });

  it('checks the very address that is used, however often the name changes its meaning', async () => {
    const server = createServer((socket) => socket.destroy());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    let connections = 0;
    server.on('connection', () => (connections += 1));
    const { port } = server.address() as AddressInfo;
    // The first answer is harmless, all later ones are not.
    const lookup = guardedLookup(answers(['203.0.113.1'], ['127.0.0.1']));
    for (let round = 0; round < 4; round += 1) {
      const socket = connect({ host: 'rebinding.example', port, lookup, timeout: 200 });
      socket.on('timeout', () => socket.destroy(new Error('timeout')));
      await expect(once(socket, 'connect')).rejects.toThrow();
    }
    server.close();
    expect(connections).toBe(0);
  });

  it('asks for two names at once, so that names that nobody answers hold up nothing else', async () => {
    let active = 0;
    let most = 0;
    const slow = (_: string, answer: (error: Error | null, found: Found[]) => void) => {
      active += 1;
      most = Math.max(most, active);
      setTimeout(() => {
        active -= 1;
        answer(null, [{ address: '10.0.0.7', family: 4 }]);
      }, 5);
    };
    await Promise.all(Array.from({ length: 8 }, () => look(slow)));
    expect(most).toBe(2);
  });
});

describe("a client of a tenant's API server", () => {
  let server: Server;
  let connections = 0;
  beforeEach(async () => {
    connections = 0;
    server = createServer((socket) => socket.destroy());
    server.on('connection', () => (connections += 1));
    await once(server.listen(0), 'listening');
  });
  afterEach(() => void server.close());

  const access = (host: string) => {
    const { port } = server.address() as AddressInfo;
    return { server: new URL(`https://${host}:${port}`), namespace: 'default', limits: TENANT };
  };

  it.each(['127.0.0.1', '0x7f.1', '2130706433', '0', '[::1]', '[::ffff:127.0.0.1]', '[::]'])(
    'connects to no address of its own machine: %s',
    (host) => {
      expect(() => new KubeClient(access(host))).toThrow(/an address of this machine itself/);
      expect(() => new KubeClient({ ...access(host), limits: undefined } as never).close()).not.toThrow();
    },
  );

  it('connects to no name of such an address', async () => {
    const client = new KubeClient(access('localhost'));
    await expect(client.request('GET', '/version')).rejects.toThrow(
      /localhost \(.*an address of this machine itself/,
    );
    const { signal } = new AbortController();
    await expect(client.stream('/version', { signal })).rejects.toThrow(/an address of this machine itself/);
    client.close();
    expect(connections).toBe(0);
  });

  it("connects wherever the operator's own kubeconfig says", async () => {
    const { limits: _, ...own } = access('localhost');
    const client = new KubeClient(own);
    await expect(client.request('GET', '/version')).rejects.toThrow();
    client.close();
    expect(connections).toBeGreaterThan(0);
  });
});
