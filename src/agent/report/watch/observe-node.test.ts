import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { Authority } from '../../../pki/authority.ts';
import { createCsr, createKey } from '../../../pki/csr.ts';
import { readCsrKey } from '../../../pki/read-csr.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { observeNode } from './observe-node.ts';

const DAY_MS = 86_400_000;
const made = Authority.create('cluster');
const authority = new Authority(made.certificate, made.privateKey);
const key = createKey();
const publicKey = readCsrKey(createCsr(key, 'system:node:n1'));
const { certificate } = authority.sign({ use: 'client', name: 'system:node:n1', publicKey }, DAY_MS);

describe('what is seen of the Node', () => {
  let root: string;
  let api: Server;
  let kubelet: HttpServer;
  let body: string;

  beforeAll(async () => {
    // As with --tls-max-version.
    api = createServer(
      { ...authority.server(['127.0.0.1'], DAY_MS), maxVersion: 'TLSv1.2' },
      (request, answer) => answer.writeHead(request.url === '/api/v1/nodes/n1' ? 200 : 404).end(body),
    );
    kubelet = createHttpServer((_, answer) => answer.writeHead(200).end('ok'));
    for (const server of [api, kubelet])
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
  });
  afterAll(() => {
    for (const server of [api, kubelet]) {
      server.close();
      server.closeAllConnections();
    }
  });
  beforeEach(() => {
    root = scratch();
    body = JSON.stringify({
      kind: 'Node',
      spec: { providerID: 'p://1' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const cluster = (at: number) => ({
      server: `https://127.0.0.1:${at}`,
      'certificate-authority-data': base64(made.certificate),
    });
    put(
      '/etc/kubernetes/kubelet.conf',
      JSON.stringify({
        'current-context': 'second',
        contexts: [{ name: 'second', context: { cluster: 'b', user: 'v' } }],
        clusters: [
          { name: 'a', cluster: cluster(1) },
          { name: 'b', cluster: cluster(port(api)) },
        ],
        users: [
          { name: 'u', user: {} },
          {
            name: 'v',
            user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) },
          },
        ],
      }),
    );
  });

  const port = (server: Server | HttpServer) => (server.address() as AddressInfo).port;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const look = () => observeNode(createLinuxHost({ root }));

  it('is asked of the cluster of the current context, whatever TLS that has', async () => {
    expect(await look()).toEqual({
      observed: { type: 'node.observed', node: 'n1', state: 'ready', providerID: 'p://1' },
      capacity: { resources: {}, labels: '', taints: '' },
    });
  });

  it('is registered, or not ready and why', async () => {
    body = JSON.stringify({ kind: 'Node' });
    expect(await look()).toEqual({ observed: { type: 'node.observed', node: 'n1', state: 'registered' } });
    const ready = { type: 'Ready', status: 'False', message: 'no CNI' };
    body = JSON.stringify({ kind: 'Node', status: { conditions: [null, ready] } });
    expect(await look()).toMatchObject({ observed: { state: 'not-ready', message: 'no CNI' } });
  });

  it('is what the kubelet says where no API server answers, at the port of its own configuration', async () => {
    body = '<html>Log in</html>';
    put('/var/lib/kubelet/config.yaml', `healthzPort: ${port(kubelet)}\n`);
    expect(await look()).toEqual({
      observed: { type: 'node.observed', node: 'n1', state: 'kubelet-healthy' },
    });
    put('/var/lib/kubelet/config.yaml', 'healthzPort: 0\n');
    expect(await look()).toBeUndefined();
  });

  it('is nothing before the kubelet has a certificate', async () => {
    put('/etc/kubernetes/kubelet.conf', '');
    expect(await look()).toBeUndefined();
    rmSync(join(root, 'etc'), { recursive: true });
    expect(await look()).toBeUndefined();
  });
});
