import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createSocketServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { createKey } from '../../pki/csr.ts';
import type { Access } from './access.ts';
import { KubeClient } from './client.ts';

const made = Authority.create('test');
const authority = new Authority(made.certificate, made.privateKey);
const key = createKey();
const { certificate: cert } = authority.sign(
  { use: 'client', name: 'controller', publicKey: createPublicKey(key) },
  60_000,
);

let api: Server;
let proxy: Server;
let access: Access;
/** Of each connection to the API server: the name asked for, and whose certificate the client shows. */
const connections: unknown[] = [];
/** What the proxy was asked for, and with which credentials. */
const tunnels: unknown[] = [];
let opened = 0;

beforeAll(async () => {
  const options = { ...authority.server(['api.example', '127.0.0.1'], 60_000), ca: made.certificate };
  api = createServer({ ...options, requestCert: true, rejectUnauthorized: false }, (request, answer) => {
    const { servername, authorized } = request.socket as TLSSocket & { servername?: string | false };
    connections.push({ servername, authorized });
    answer.end(JSON.stringify({ version: request.httpVersion }));
  });
  api.on('connection', () => (opened += 1));
  proxy = createPlainServer().on('connect', (request, socket) => {
    tunnels.push({ url: request.url, authorization: request.headers['proxy-authorization'] });
    // Whatever it is asked for, there is one API server.
    const through = connect((api.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(through).pipe(socket);
    });
    for (const end of [through, socket]) end.on('error', () => [through, socket].map((one) => one.destroy()));
  });
  for (const server of [api, proxy]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const server = new URL(`https://127.0.0.1:${(api.address() as AddressInfo).port}`);
  access = { server, ca: made.certificate, namespace: 'ns' };
});
afterAll(() => {
  for (const server of [api, proxy]) {
    server.close();
    server.closeAllConnections();
  }
});
beforeEach(() => {
  connections.length = 0;
  tunnels.length = 0;
  opened = 0;
});

async function ask(how: Access, times = 1): Promise<unknown[]> {
  const client = new KubeClient(how);
  const answers: unknown[] = [];
  for (let i = 0; i < times; i += 1) answers.push(await client.request('GET', '/version'));
  client.close();
  return answers;
}

it('keeps connections over HTTP/1.1, and shows its certificate to the one that it trusts', async () => {
  const answers = await ask({ ...access, clientCertificate: { cert, key } }, 6);
  expect(answers).toEqual(Array.from({ length: 6 }, () => ({ version: '1.1' })));
  // The first is not always free yet when its answer has been read.
  expect(opened).toBeLessThanOrEqual(2);
  expect(connections[0]).toEqual({ servername: false, authorized: true });
});

it('asks for the name that it is told, and takes no other authority', async () => {
  await ask({ ...access, serverName: 'api.example' });
  expect(connections).toEqual([{ servername: 'api.example', authorized: false }]);
  await expect(ask({ ...access, serverName: 'other.example' })).rejects.toThrow(/altnames/);
  const other = Authority.create('test').certificate;
  await expect(ask({ ...access, ca: other })).rejects.toThrow(/GET \/version: .*certificate/);
});

it('takes no more than 32 connections for requests, whatever is asked at once', async () => {
  const client = new KubeClient(access);
  await Promise.all(Array.from({ length: 100 }, () => client.request('GET', '/version')));
  client.close();
  expect([connections.length, opened]).toEqual([100, 32]);
});

it('goes through a proxy, with its credentials and with what the API server is to see', async () => {
  const { port } = proxy.address() as AddressInfo;
  const through = { ...access, proxy: new URL(`http://user:p%40ss@127.0.0.1:${port}`) };
  await ask({ ...through, clientCertificate: { cert, key } });
  const authorization = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  expect(tunnels).toEqual([{ url: access.server.host, authorization }]);
  expect(connections[0]).toEqual({ servername: false, authorized: true });
  // A name that only the proxy knows, without a port.
  await ask({ ...through, server: new URL('https://api.example') });
  expect(tunnels[1]).toEqual({ url: 'api.example:443', authorization });
  expect(connections.at(-1)).toEqual({ servername: 'api.example', authorized: false });
});

it('goes through a SOCKS proxy', async () => {
  const asked: string[] = [];
  const socks = createSocketServer((socket) => {
    socket.on('error', () => {});
    // RFC 1928: no credentials; then a name of so many bytes and a port.
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (wish: Buffer) => {
        const end = 5 + (wish[4] ?? 0);
        asked.push(`${wish.subarray(5, end)}:${wish.readUInt16BE(end)}`);
        const through = connect((api.address() as AddressInfo).port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          socket.pipe(through).pipe(socket);
        });
        through.on('error', () => {});
      });
    });
  });
  await once(socks.listen(0, '127.0.0.1'), 'listening');
  const proxy = new URL(`socks5://127.0.0.1:${(socks.address() as AddressInfo).port}`);
  const server = new URL('https://api.example:6443');
  await ask({ ...access, server, proxy, clientCertificate: { cert, key } });
  expect(asked).toEqual(['api.example:6443']);
  expect(connections).toEqual([{ servername: 'api.example', authorized: true }]);
  socks.close();
});

it('says when the proxy refuses, without its password', async () => {
  const refusing = createPlainServer().on('connect', (_, socket) => {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  await once(refusing.listen(0, '127.0.0.1'), 'listening');
  const { port } = refusing.address() as AddressInfo;
  const asked = ask({ ...access, proxy: new URL(`http://u:secret@127.0.0.1:${port}`) });
  await expect(asked).rejects.toThrow(/407/);
  await expect(asked).rejects.not.toThrow(/secret/);
  refusing.close();
});
