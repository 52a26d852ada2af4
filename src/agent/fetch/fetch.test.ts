import { createHash } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { sensitive } from '../../secrets/sensitive.ts';
import type { RemoteContent } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { FetchError, fetchRemote } from './fetch.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function got(url: string, more: Partial<RemoteContent> = {}): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  const remote = { url: sensitive(url), headers: [], isCompressed: false, ...more };
  await fetchRemote(createLinuxHost({}), remote, { authorities: [] }, async (piece) => {
    pieces.push(piece);
  });
  return Buffer.concat(pieces);
}

const refusal = async (work: Promise<unknown>): Promise<FetchError> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FetchError);
  return error as FetchError;
};

describe('fetchRemote', () => {
  it('gives bytes as they are, decompressed, with their hash held against', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256));
    const url = await serve((request, response) =>
      response.end(request.url === '/gz' ? gzipSync(bytes) : bytes),
    );
    const hash = `sha512-${createHash('sha512').update(bytes).digest('hex')}`;
    expect((await got(`${url}/`, { hash })).equals(bytes)).toBe(true);
    expect((await got(`${url}/gz`, { isCompressed: true, hash })).equals(bytes)).toBe(true);
    expect(await refusal(got(`${url}/gz`, { hash }))).toMatchObject({ refused: true });
    const message = await refusal(got(`${url}/?token=secret`, { isCompressed: true }));
    expect(message.message).toMatch(/not gzip/);
  });

  it('follows redirects, and takes headers to no other server', async () => {
    const seen: (string | undefined)[] = [];
    const header = { name: 'X-Token', value: sensitive('t') };
    const other = await serve((request, response) => {
      seen.push(request.headers['x-token'] as string | undefined);
      response.end('there');
    });
    const url = await serve((request, response) => {
      seen.push(request.headers['x-token'] as string | undefined);
      const next = request.url === '/a' ? '/b' : `${other}/c?signature=1`;
      response.writeHead(302, { location: next }).end();
    });
    expect((await got(`${url}/a`, { headers: [header] })).toString()).toBe('there');
    expect(seen).toEqual(['t', 't', undefined]);
    const circle = await serve((_, response) => response.writeHead(301, { location: '/' }).end());
    expect(await refusal(got(`${circle}/`))).toMatchObject({ refused: true });
    const away = await serve((_, response) =>
      response.writeHead(301, { location: 'file:///etc/shadow' }).end(),
    );
    expect(await refusal(got(`${away}/`))).toMatchObject({ refused: true });
  });

  it('tells what may pass from what will not, without what is secret in the address', async () => {
    const url = await serve((request, response) =>
      response.writeHead(Number(request.url?.slice(1, 4))).end('no'),
    );
    for (const [status, refused] of [
      [404, true],
      [403, true],
      [503, false],
      [429, false],
    ] as const) {
      const error = await refusal(got(`${url.replace('//', '//user:password@')}/${status}?token=secret`));
      expect([status, error.refused]).toEqual([status, refused]);
      expect(error.message).not.toMatch(/secret|password/);
    }
    expect(await refusal(got('http://127.0.0.1:1/x'))).toMatchObject({ refused: false });
  });

  it('sends nothing in clear that was meant for TLS', async () => {
    const asked: [string, unknown][] = [];
    const real = createLinuxHost({});
    const host: Host = {
      ...real,
      network: {
        ...real.network,
        client: () => ({
          async send({ url, headers }) {
            asked.push([url, headers?.['X-Token']]);
            const next = ['http://store.example/b', 'https://store.example/c'][asked.length - 1];
            return { status: next ? 302 : 200, headers: next ? { location: next } : {}, body: '' };
          },
          close: () => undefined,
        }),
      },
    };
    const remote = {
      url: sensitive('https://store.example/a'),
      headers: [{ name: 'X-Token', value: sensitive('t') }],
      isCompressed: false,
    };
    await fetchRemote(host, remote, { authorities: [] }, async () => undefined);
    expect(asked).toEqual([
      ['https://store.example/a', 't'],
      ['http://store.example/b', undefined],
      ['https://store.example/c', 't'],
    ]);
  });

  it('takes no more for authorities than there are', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const url = await serve((_, response) => response.end(bomb));
    const authority = { url: sensitive(url), headers: [], isCompressed: true };
    const settings = { authorities: [], remoteAuthorities: [authority] };
    const remote = { url: sensitive(url), headers: [], isCompressed: false };
    const error = fetchRemote(createLinuxHost({}), remote, settings, async () => undefined);
    await expect(error).rejects.toThrow(/returned more than 1048576 bytes/);
  });

  it('tells of the sink what the sink said', async () => {
    const url = await serve((_, response) => response.end('x'.repeat(10)));
    const remote = { url: sensitive(url), headers: [], isCompressed: false };
    const full = new Error('no space');
    const sink = () => Promise.reject(full);
    await expect(fetchRemote(createLinuxHost({}), remote, { authorities: [] }, sink)).rejects.toBe(full);
  });
});
