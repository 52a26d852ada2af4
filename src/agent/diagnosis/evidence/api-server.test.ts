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
      problem: 'its name is not known',
    });
  });
});
