import dns from 'node:dns';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server, type ServerOptions } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Authority } from '../../../../pki/authority.ts';
import type { HttpClient, HttpClientOptions } from '../../network.ts';
import { createHttpClient } from './http-client.ts';

const made = Authority.create('Test servers');
const authority = new Authority(made.certificate, made.privateKey);
const { cert, key } = authority.server(['localhost', '127.0.0.1'], 3_600_000);
const ca = made.certificate;

const open: (Server | HttpServer | TcpServer)[] = [];
const sockets: Socket[] = [];
const clients: HttpClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const server of open.splice(0)) {
    for (const socket of sockets.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(server: Server | HttpServer | TcpServer): Promise<number> {
  open.push(server);
  server.on('connection', (socket: Socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const connections = new Set<number | undefined>();
function echo(options: ServerOptions = {}): Server {
  return createServer({ cert, key, ...options }, (request, answer) => {
    const chunks: Buffer[] = [];
    connections.add(request.socket.remotePort);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const peer = (request.socket as TLSSocket).getPeerCertificate().subject?.CN ?? '';
      answer.setHeader('x-protocol', (request.socket as TLSSocket).getProtocol() ?? '');
      answer.statusCode = request.url === '/busy' ? 503 : 200;
      answer.end(JSON.stringify({ method: request.method, body: Buffer.concat(chunks).toString(), peer }));
    });
  });
}

function clientOf(options: HttpClientOptions = { ca }): HttpClient {
  const client = createHttpClient(options);
  clients.push(client);
  return client;
}

const post = (port: number, path = '/', timeoutMs = 5000) => ({
  method: 'POST' as const,
  url: `https://localhost:${port}${path}`,
  body: Buffer.from('hello'),
  timeoutMs,
});

/** @param asked gets what it is asked for, and by whom */
function proxyTo(port: number, asked: string[] = []): HttpServer {
  const proxy = createHttpServer();
  proxy.on('connect', (request, socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
    const onward = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    // The client hangs up in the middle when it does not trust the server.
    for (const end of [onward, socket]) end.on('error', () => end.destroy());
  });
  return proxy;
}

describe('a client', () => {
  it('sends over TLS 1.3 and keeps its connection', async () => {
    const port = await listen(echo());
    const client = clientOf();
    connections.clear();
    const first = await client.send(post(port));
    expect(first).toMatchObject({ status: 200, headers: { 'x-protocol': 'TLSv1.3' } });
    expect(JSON.parse(first.body)).toMatchObject({ method: 'POST', body: 'hello' });
    expect((await client.send(post(port, '/busy'))).status).toBe(503);
    expect(connections.size).toBe(1);
  });

  it('leaves nothing behind on a connection that it uses again and again', async () => {
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.message);
    process.on('warning', note);
    try {
      const port = await listen(echo());
      const client = clientOf();
      connections.clear();
      for (let count = 0; count < 15; count += 1) await client.send(post(port));
      await new Promise((resolve) => setImmediate(resolve));
      expect(connections.size).toBe(1);
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  });

  it('is known by its certificate', async () => {
    const { createKey, createCsr } = await import('../../../../pki/csr.ts');
    const { readCsrKey } = await import('../../../../pki/read-csr.ts');
    const mine = createKey();
    const { certificate } = authority.sign(
      { use: 'client', name: 'node-7', publicKey: readCsrKey(createCsr(mine, 'node-7')) },
      3_600_000,
    );
    const port = await listen(echo({ requestCert: true, rejectUnauthorized: true, ca }));
    const answer = await clientOf({ ca, certificate, key: mine }).send(post(port));
    expect(JSON.parse(answer.body).peer).toBe('node-7');
    await expect(clientOf({ ca }).send(post(port))).rejects.toThrow(/client certificate|connection was cut/);
  });

  it('refuses a server that the CA did not sign, one of another name, and one without TLS 1.3, in words', async () => {
    const port = await listen(echo());
    await expect(clientOf({}).send(post(port))).rejects.toThrow(
      `localhost:${port}: its certificate is signed by a CA that is not configured`,
    );
    const other = authority.server(['other.example'], 3_600_000);
    const named = await listen(echo({ cert: other.cert, key: other.key }));
    await expect(clientOf().send(post(named))).rejects.toThrow(/its certificate is for another name/);
    const old = await listen(echo({ maxVersion: 'TLSv1.2' }));
    await expect(clientOf({ ca, minTls: 'TLSv1.3' }).send(post(old))).rejects.toThrow(
      /does not speak TLS 1.3/,
    );
  });

  it('believes any server only where it is told to', async () => {
    const port = await listen(echo());
    expect((await clientOf({ insecure: true }).send(post(port))).status).toBe(200);
  });

  it('says of an address that is no URL that it is none', async () => {
    await expect(
      clientOf().send({ method: 'GET', url: 'https://a b', timeoutMs: 5_000 }),
    ).rejects.toMatchObject({ errno: 'EINVAL' });
  });

  it('demands no TLS that the host does not, unless told to', async () => {
    const port = await listen(echo({ maxVersion: 'TLSv1.2' }));
    expect(await clientOf().send(post(port))).toMatchObject({ headers: { 'x-protocol': 'TLSv1.2' } });
  });

  it('names certificate, dates and clock where a certificate is not valid yet or any more, through a proxy too', async () => {
    const day = 86_400_000;
    const later = authority.server(['localhost'], day, Date.now() + 3.2 * day);
    const port = await listen(echo({ cert: later.cert, key: later.key }));
    const error = {
      errno: 'CERT_NOT_YET_VALID',
      message: expect.stringMatching(/begins in 2 days: .*clock/),
    };
    await expect(clientOf().send(post(port))).rejects.toMatchObject(error);
    const over = authority.server(['localhost'], day, Date.now() - 3.2 * day);
    const dead = await listen(echo({ cert: over.cert, key: over.key }));
    const ended = { errno: 'CERT_HAS_EXPIRED', message: expect.stringMatching(/ended 2 days ago: renew it/) };
    await expect(clientOf().send(post(dead))).rejects.toMatchObject(ended);
    const https = `http://127.0.0.1:${await listen(proxyTo(port))}`;
    await expect(clientOf({ ca, proxy: { https } }).send(post(port))).rejects.toMatchObject({
      errno: 'CERT_NOT_YET_VALID',
      message: `localhost:${port}: by this machine's clock its certificate is not valid yet: the clock is probably behind (timedatectl)`,
    });
    const young = Authority.create('Young', Date.now() + 5.2 * day);
    const fresh = new Authority(young.certificate, young.privateKey).server(['localhost'], day);
    const early = await listen(echo({ cert: fresh.cert, key: fresh.key }));
    await expect(clientOf({ ca: young.certificate }).send(post(early))).rejects.toThrow(
      /: the CA of its certificate is valid from .* begins in 4 days/,
    );
  });

  it('tells a DNS server that does not answer from a server that does not', async () => {
    const silent = await listen(createTcpServer(() => undefined));
    const asked = vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never);
    try {
      const named = { method: 'GET', url: 'https://api.example:6443/', timeoutMs: 100 } as const;
      await expect(clientOf().send(named)).rejects.toMatchObject({
        errno: 'EAI_AGAIN',
        message: 'api.example:6443: DNS does not answer within 0.1 s',
      });
      expect(asked).toHaveBeenCalledOnce();
      const addressed = { ...named, url: `https://127.0.0.1:${silent}/` };
      await expect(clientOf().send(addressed)).rejects.toMatchObject({ errno: 'ETIMEDOUT' });
    } finally {
      asked.mockRestore();
    }
  });

  it('gives up on a server that accepts and says nothing, and on one that never ends', async () => {
    const silent = await listen(createTcpServer(() => undefined));
    await expect(clientOf().send(post(silent, '/', 200))).rejects.toMatchObject({
      ...{ isMute: true, message: expect.stringMatching(/no answer within 0.2 s/) },
    });
    const endless = await listen(
      createServer({ cert, key }, (_, answer) => {
        const more = setInterval(() => answer.write('x'), 20);
        answer.on('close', () => clearInterval(more));
      }),
    );
    await expect(clientOf().send(post(endless, '/', 300))).rejects.toMatchObject({
      ...{ errno: 'ETIMEDOUT', isMute: false },
      message: expect.stringMatching(/not all of the answer within 0.3 s/),
    });
    const huge = await listen(createServer({ cert, key }, (_, answer) => answer.end('x'.repeat(100_000))));
    await expect(clientOf().send(post(huge))).rejects.toMatchObject({ errno: 'EFBIG' });
  });

  it('stops when it is told to, and says that nothing listens', async () => {
    const silent = await listen(createTcpServer(() => undefined));
    const stop = new AbortController();
    const sending = clientOf().send({ ...post(silent), signal: stop.signal });
    stop.abort();
    await expect(sending).rejects.toMatchObject({ errno: 'ABORT_ERR' });
    await expect(clientOf().send(post(1))).rejects.toThrow(
      'localhost:1: connection refused: nothing listens there',
    );
  });

  it('does not mind that the server closes an idle connection', async () => {
    const server = echo();
    const port = await listen(server);
    const client = clientOf();
    await client.send(post(port));
    server.closeAllConnections();
    expect((await client.send(post(port))).status).toBe(200);
  });

  it('goes through a proxy with credentials, and past it where it is told to', async () => {
    const port = await listen(echo());
    const asked: string[] = [];
    const proxy = proxyTo(port, asked);
    const https = `http://user:secret@127.0.0.1:${await listen(proxy)}`;
    expect((await clientOf({ ca, proxy: { https } }).send(post(port))).status).toBe(200);
    const basic = Buffer.from('user:secret').toString('base64');
    expect(asked).toEqual([`localhost:${port} Basic ${basic}`]);
    expect((await clientOf({ ca, proxy: { https, except: 'localhost' } }).send(post(port))).status).toBe(200);
    expect(asked).toHaveLength(1);
  });
});
