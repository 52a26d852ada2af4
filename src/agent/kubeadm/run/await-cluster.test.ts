import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Authority } from '../../../pki/authority.ts';
import { readApiServer } from '../../diagnosis/evidence/api-server.ts';
import { HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { awaitCluster, type ClusterFound, type ClusterSpec } from './await-cluster.ts';

const DEAD = '127.0.0.1:1';
const ID = 'abcdef';

const { certificate, privateKey } = Authority.create('cluster');
const PAIR = new Authority(certificate, privateKey).server(['127.0.0.1'], 3_600_000);

/** What the API server answers: a status, and the tokens that have signed the cluster-info. */
interface Answer {
  isPage?: true;
  status: number;
  signedBy?: string[];
}

describe('awaitCluster', () => {
  const servers: Server[] = [];
  const told: string[] = [];
  let connections = 0;
  let requests = 0;

  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
    told.length = connections = requests = 0;
  });

  /** @param answer by the number of the request, from 1 */
  async function serve(answer: (request: number) => Answer, port = 0): Promise<string> {
    let count = 0;
    const server = createServer(PAIR, ({ url }, response) => {
      if (url === '/livez') return void response.writeHead(404).end();
      requests += 1;
      count += 1;
      const { status, signedBy = [], isPage } = answer(count);
      if (isPage) return void response.writeHead(status).end('<html></html>');
      const data = Object.fromEntries(signedBy.map((id) => [`jws-kubeconfig-${id}`, 'x']));
      response.writeHead(status).end(JSON.stringify({ kind: 'ConfigMap', data }));
    });
    server.on('connection', () => {
      connections += 1;
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const wait = (endpoints: string[], more: Partial<ClusterSpec> = {}): Promise<ClusterFound | undefined> =>
    awaitCluster(createLinuxHost(), {
      endpoints,
      tokenId: ID,
      attempt: 1,
      limitMs: 30_000,
      signal: new AbortController().signal,
      onProgress: (message) => told.push(message),
      ...more,
    });

  it('goes on at once where the cluster knows the token', async () => {
    const endpoint = await serve(() => ({ status: 200, signedBy: ['zzzzzz', ID] }));
    expect(await wait([endpoint])).toEqual({ endpoint, inVain: false });
    expect({ told, requests }).toEqual({ told: [], requests: 1 });
  });

  it('asks nobody where that was seen just before, and whom it has not seen', async () => {
    const endpoint = await serve(() => ({ status: 200, signedBy: [ID] }));
    const host = createLinuxHost();
    let now = 0;
    const at = { ...host, clock: { ...host.clock, monotonic: () => now } };
    const spec = {
      endpoints: [endpoint],
      tokenId: ID,
      attempt: 1,
      limitMs: 1_000,
      onProgress: () => undefined,
    };
    const { signal } = new AbortController();
    await readApiServer(at, endpoint, 1_000);
    expect(await awaitCluster(at, { ...spec, signal })).toEqual({ endpoint, inVain: false });
    expect(requests).toBe(1);
    expect(
      await awaitCluster(at, { ...spec, signal, tokenId: 'zzzzzz', limitMs: 0, endpoints: [endpoint, DEAD] }),
    ).toMatchObject({ endpoint });
    expect(requests).toBe(2);
    now = 3_000;
    await awaitCluster(at, { ...spec, signal });
    expect(requests).toBe(3);
  });

  it('waits for the token over one connection, and says what it waits for once', async () => {
    const endpoint = await serve((request) => {
      if (request === 1) return { status: 503 };
      if (request === 2) return { status: 403 };
      if (request === 3) return { status: 200, isPage: true };
      return { status: 200, signedBy: request < 6 ? [] : [ID] };
    });
    expect(await wait([endpoint])).toEqual({ endpoint, inVain: false });
    expect(told).toEqual([
      `waiting for the cluster: the API server ${endpoint} answers with HTTP status 503`,
      `waiting for the cluster: the API server ${endpoint} does not serve cluster-info yet (HTTP status 403)`,
      `waiting for the cluster: the server at ${endpoint} does not send cluster-info (HTTP status 200): it may not be an API server`,
      `waiting for the cluster: the cluster does not know the token ${ID} yet, or no longer does`,
    ]);
    expect({ requests, connections }).toEqual({ requests: 6, connections: 1 });
  });

  it('waits for an API server that comes up', async () => {
    const gone = await serve(() => ({ status: 200 }));
    servers.pop()?.close();
    const found = wait([gone]);
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await serve(() => ({ status: 200, signedBy: [ID] }), Number(gone.split(':')[1]));
    expect(await found).toEqual({ endpoint: gone, inVain: false });
    expect(told[0]).toMatch(/^waiting for the cluster: .* does not answer yet: /);
  });

  it.each([
    ['the first at once', 'a:1', [] as number[]],
    ['another one after a while, in which the first may answer', 'b:1', [1_500]],
  ])('waits for no silent one where it may join by %s', async (_, serving, waited) => {
    const host = createLinuxHost();
    const slept: number[] = [];
    const client = () => ({
      close: () => undefined,
      send: async ({ url }: { url: string }) =>
        url.startsWith(`https://${serving}`)
          ? { status: 200, headers: {}, body: '{}' }
          : new Promise<never>(() => undefined),
    });
    const clock = { ...host.clock, sleep: async (ms: number) => void slept.push(ms) };
    const at = { ...host, clock, network: { ...host.network, client } } as typeof host;
    const found = await awaitCluster(at, {
      ...{ endpoints: ['a:1', 'b:1'], tokenId: undefined, attempt: 1, limitMs: 30_000 },
      ...{ signal: new AbortController().signal, onProgress: () => undefined },
    });
    expect(found).toEqual({ endpoint: serving, inVain: false });
    expect(slept).toEqual(waited);
  });

  it('gives more time to an API server that is silent, which may have too much to do', async () => {
    const given: number[] = [];
    const host = createLinuxHost();
    const stop = new AbortController();
    const client = () => ({
      close: () => undefined,
      send: async ({ url, timeoutMs }: { url: string; timeoutMs: number }) => {
        if (!url.endsWith('/livez')) given.push(timeoutMs);
        if (given.length === 6) stop.abort();
        throw new HostError('no answer', 'ETIMEDOUT');
      },
    });
    const silent = {
      ...host,
      clock: { ...host.clock, sleep: async () => undefined },
      network: { ...host.network, client },
    };
    const spec = {
      tokenId: ID,
      attempt: 1,
      limitMs: 60_000,
      signal: stop.signal,
      onProgress: () => undefined,
    };
    await awaitCluster(silent, { ...spec, endpoints: [DEAD] });
    expect(given).toEqual([5_000, 10_000, 10_000, 10_000, 10_000, 10_000]);
  });

  it('says which of its checks an API server says to fail', async () => {
    const host = createLinuxHost();
    const stop = new AbortController();
    const client = () => ({
      close: () => undefined,
      send: async ({ url }: { url: string }) => {
        if (!url.endsWith('/livez')) throw new HostError('no answer', 'ETIMEDOUT');
        return { status: 500, headers: {}, body: '[+]ping ok\n[-]etcd failed: reason withheld\n' };
      },
    });
    const sleep = async () => undefined;
    const unready = { ...host, clock: { ...host.clock, sleep }, network: { ...host.network, client } };
    const onProgress = (message: string) => {
      told.push(message);
      stop.abort();
    };
    const at = unready as unknown as ReturnType<typeof createLinuxHost>;
    const spec = { tokenId: ID, attempt: 1, limitMs: 60_000, signal: stop.signal, onProgress };
    await awaitCluster(at, { ...spec, endpoints: [DEAD] });
    expect(told).toEqual([
      `waiting for the cluster: ${DEAD} does not answer yet: it does not answer; it reports that these checks fail: etcd`,
    ]);
  });

  it('says that it waited in vain, and stops when it is told to', async () => {
    expect(await wait([DEAD], { limitMs: 50 })).toEqual({ endpoint: DEAD, inVain: true });
    const stop = new AbortController();
    const found = wait([DEAD], { signal: stop.signal, onProgress: () => stop.abort() });
    expect(await found).toEqual({ endpoint: DEAD, inVain: true });
  });

  it('says what is more likely never to come than to be late', async () => {
    const knows = await serve(() => ({ status: 200, signedBy: ['zzzzzz'] }));
    const signsNothing = await serve(() => ({ status: 200, signedBy: [] }));
    expect(await wait([knows], { limitMs: 50 })).toEqual({ endpoint: knows, inVain: true, lacks: 'token' });
    expect(await wait([signsNothing], { limitMs: 50 })).toEqual({ endpoint: signsNothing, inVain: true });
    const host = createLinuxHost();
    const send = (errno: string) => () => Promise.reject(new HostError('no way', errno));
    const unrouted = (...errnos: string[]) => {
      const left = [...errnos];
      const client = () => ({ send: send(left.shift() ?? ''), close: () => undefined });
      const at = { ...host, network: { ...host.network, client } } as unknown as typeof host;
      const endpoints = errnos.map((_, index) => `10.0.0.${index}:6443`);
      const spec = { endpoints, tokenId: ID, attempt: 1, limitMs: 50, signal: new AbortController().signal };
      return awaitCluster(at, { ...spec, onProgress: () => undefined });
    };
    expect(await unrouted('EHOSTUNREACH')).toMatchObject({ lacks: 'route' });
    expect(await unrouted('ENETUNREACH', 'EHOSTUNREACH')).toMatchObject({ lacks: 'route' });
    expect(await unrouted('EHOSTUNREACH', 'ECONNREFUSED')).not.toHaveProperty('lacks');
  });

  it('asks nobody where it cannot see what kubeadm will see, and there is nothing to choose', async () => {
    const endpoint = await serve(() => ({ status: 503 }));
    expect(await wait([], { limitMs: 0 })).toBeUndefined();
    expect(await wait([endpoint], { limitMs: 0 })).toEqual({ endpoint, inVain: false });
    expect(requests).toBe(0);
  });

  it('chooses the first API server that can be joined, and begins with another one each time', async () => {
    const one = await serve(() => ({ status: 200, signedBy: [ID] }));
    const two = await serve(() => ({ status: 200, signedBy: [ID] }));
    const ill = await serve(() => ({ status: 503 }));
    const chosen = async (endpoints: string[], attempt: number) =>
      (await wait(endpoints, { attempt, limitMs: 0 }))?.endpoint;
    expect(await chosen([DEAD, ill, one], 1)).toBe(one);
    expect([await chosen([one, two], 1), await chosen([one, two], 2), await chosen([one, two], 3)]).toEqual([
      one,
      two,
      one,
    ]);
    // Nobody answers: then at least not always the same one is asked.
    expect(await chosen([DEAD, '127.0.0.1:2'], 2)).toBe('127.0.0.1:2');
  });
});
