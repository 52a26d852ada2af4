import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { Authority } from '../../../pki/authority.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { chooseEndpoint } from './choose-endpoint.ts';

const DEAD = '127.0.0.1:1';

it('asks the first API server that answers, and another first one each time', async () => {
  const host = createLinuxHost();
  const { certificate, privateKey } = Authority.create('cluster');
  const pair = new Authority(certificate, privateKey).server(['127.0.0.1'], 60_000);
  const servers = [200, 200, 503].map((status) =>
    createServer(pair, (_, response) => response.writeHead(status).end('{}')),
  );
  const [one = '', two = '', ill = ''] = await Promise.all(
    servers.map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );
  try {
    expect(await chooseEndpoint(host, [], 1)).toBeUndefined();
    expect(await chooseEndpoint(host, [DEAD], 1)).toBe(DEAD);
    expect(await chooseEndpoint(host, [DEAD, ill, one], 1)).toBe(one);
    expect([
      await chooseEndpoint(host, [one, two], 1),
      await chooseEndpoint(host, [one, two], 2),
      await chooseEndpoint(host, [one, two], 3),
    ]).toEqual([one, two, one]);
    // Nobody answers: then at least not always the same one is asked.
    expect(await chooseEndpoint(host, [DEAD, '127.0.0.1:2'], 2)).toBe('127.0.0.1:2');
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
});
