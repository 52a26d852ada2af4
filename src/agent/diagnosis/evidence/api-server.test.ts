import { describe, expect, it } from 'vitest';
import { type Host, HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readApiServer } from './api-server.ts';

/** A machine with this resolv.conf, where each request ends with this error. */
function machine(errno: string, resolvConf: string | undefined): Host {
  const real = createLinuxHost({ root: '/' });
  return {
    ...real,
    files: {
      ...real.files,
      readIfPresent: async () => (resolvConf === undefined ? undefined : Buffer.from(resolvConf)),
    },
    network: {
      ...real.network,
      client: () => ({
        send: () => Promise.reject(new HostError('api.example:6443: no luck', errno)),
        close: () => undefined,
      }),
    },
  };
}

describe('an API server whose name does not resolve', () => {
  const look = (errno: string, resolvConf?: string) =>
    readApiServer(machine(errno, resolvConf), 'api.example:6443', 100);

  it('names the DNS servers that do not answer', async () => {
    expect(await look('EAI_AGAIN', '# made by hand\nsearch lab\nnameserver 10.0.0.2\n')).toEqual({
      endpoint: 'api.example:6443',
      failedAt: 'dns',
      problem: 'its name does not resolve: no answer from the DNS server 10.0.0.2',
    });
    expect((await look('EAI_AGAIN', 'nameserver 10.0.0.2\n nameserver fd00::2\n')).problem).toMatch(
      /no answer from the DNS servers 10\.0\.0\.2, fd00::2$/,
    );
  });

  it('says where there is no DNS server to ask', async () => {
    expect((await look('EAI_AGAIN')).problem).toMatch(/resolv\.conf names no DNS server/);
  });

  it('accuses no DNS server that has answered', async () => {
    expect(await look('ENOTFOUND', 'nameserver 10.0.0.2\n')).toMatchObject({
      failedAt: 'dns',
      problem: 'its name is unknown',
    });
  });
});

describe('an API server that does not serve', () => {
  const READY =
    '[+]ping ok\n[-]etcd failed: reason withheld\n[-]etcd-readiness failed: reason withheld\nlivez check failed\n';
  const answer = (status: number, body: string) => ({ status, body, headers: {}, url: '' });
  const silent = (ready: ReturnType<typeof answer>): { host: Host; asked: string[] } => {
    const asked: string[] = [];
    const at = machine('ETIMEDOUT', undefined);
    const send = (request: { url: string }) => {
      asked.push(new URL(request.url).pathname);
      return request.url.endsWith('/livez')
        ? Promise.resolve(ready)
        : Promise.reject(new HostError('no answer', 'ETIMEDOUT'));
    };
    const network = { ...at.network, client: () => ({ send, close: () => undefined }) };
    return { asked, host: { ...at, network } as unknown as Host };
  };

  it('is asked which of its checks fail, and whoever is in a hurry learns what it said before', async () => {
    const { host, asked } = silent(answer(500, READY));
    const failing = ['etcd', 'etcd-readiness'];
    expect((await readApiServer(host, 'a:1', 900)).failing).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(await readApiServer(host, 'a:1', 5_000)).toMatchObject({ isSilent: true, failing });
    expect(await readApiServer(host, 'a:1', 900)).toMatchObject({ isSilent: true, failing });
    expect((await readApiServer(host, 'b:1', 900)).failing).toBeUndefined();
    expect(asked.filter((path) => path === '/livez')).toHaveLength(1);
  });

  it('is asked so by whoever waits for two of them as seldom as one, and for nothing else', async () => {
    const { host, asked } = silent(answer(500, READY));
    for (const endpoint of ['a:1', 'b:1', 'a:1', 'b:1']) await readApiServer(host, endpoint, 10_000);
    const others = asked.filter((path) => !path.endsWith('/cluster-info'));
    expect(others).toEqual(['/livez', '/livez']);
  });

  it('is not believed to have more checks than it has, nor others', async () => {
    const many = Array.from(
      { length: 60_000 },
      (_, index) => `[-]\x1b[2J failed\n[-]c${index >> 1} failed\n`,
    );
    const { failing } = await readApiServer(silent(answer(500, many.join(''))).host, 'a:1', 5_000);
    expect(failing?.join()).toBe('c0,c1,c2,c3,c4,c5,c6,c7');
  });

  it('is told nothing of where it says that all is well', async () => {
    expect((await readApiServer(silent(answer(200, 'ok')).host, 'a:1', 5_000)).failing).toBeUndefined();
  });
});
