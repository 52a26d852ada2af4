import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Authority } from '../../../src/pki/authority.ts';
import { eventually } from '../../support/eventually.ts';
import { outerAddress } from './reachable.ts';
import type { Scene } from './scene.ts';

/** How long the hostile clusters go on while another one's nodes join. */
const ATTACK_MS = 15_000;
const MIB = 1024 * 1024;

/** What tenants name in the Secrets of their Clusters: each in a Cluster of its own, all at once, at one approver. */
export async function tenants(scene: Scene): Promise<void> {
  const { cluster, say } = scene;
  const inside = createServer((socket) => socket.destroy());
  let connections = 0;
  inside.on('connection', () => (connections += 1));
  await once(inside.listen(0, '127.0.0.1'), 'listening');
  const { port } = inside.address() as AddressInfo;
  const hostile = await hostileServers();
  const metricsPort = scene.ports()?.adminPort ?? 0;
  try {
    const before = { log: scene.log.length, memory: await memoryOf(metricsPort) };
    const secrets: Record<string, string> = {
      yaml: '? '.repeat(600),
      loopback: kubeconfig({ server: `https://127.0.0.1:${port}` }),
      mapped: kubeconfig({ server: `https://[::ffff:127.0.0.1]:${port}` }),
      named: kubeconfig({ server: `https://localhost:${port}` }),
      proxied: kubeconfig({ server: 'https://10.0.0.1:6443', 'proxy-url': `http://127.0.0.1:${port}` }),
      metadata: kubeconfig({ server: 'https://169.254.169.254' }),
      file: kubeconfig({ server: 'https://10.0.0.1' }, { tokenFile: '/run/secrets/kubernetes.io/token' }),
      ...Object.fromEntries(hostile.map(({ name, ...at }) => [name, kubeconfig(at.cluster)])),
    };
    for (const [name, secret] of Object.entries(secrets)) {
      await scene.secret(name, secret);
      await cluster.createMachine(`of-${name}`, { cluster: name });
    }
    const refused = Object.keys(secrets).filter((name) => hostile.every((other) => other.name !== name));
    for (const name of refused)
      await eventually(`a word on ${name}`, () =>
        scene.log
          .split('\n')
          .some((line) => line.includes(`"default/${name}"`) && /cannot be (used|followed)/.test(line)),
      );
    for (const { name, wasAsked } of hostile) await eventually(`a request to ${name}`, wasAsked);

    let slowest = 0;
    let joins = 0;
    for (const end = performance.now() + ATTACK_MS; performance.now() < end; joins += 1) {
      await cluster.createMachine(`tenant-${joins}`);
      const began = performance.now();
      await scene.join(`tenant-${joins}`);
      slowest = Math.max(slowest, performance.now() - began);
      await sleep(500);
    }
    const grown = (await memoryOf(metricsPort)) - before.memory;
    const logged = scene.log.length - before.log;
    say(
      `${hostile.length} hostile API servers and ${refused.length} hostile kubeconfigs: ${joins} nodes of another cluster joined, the slowest in ${Math.round(slowest)} ms; memory ${Math.round(grown / MIB)} MiB more, log ${Math.round(logged / 1024)} KiB more`,
    );
    assert.equal(connections, 0, `${connections} connections to the approver's own machine`);
    assert.ok(slowest < 15_000, `a node of another cluster waited ${slowest} ms`);
    assert.ok(grown < 400 * MIB, `${grown} bytes of memory`);
    assert.ok(logged < 2 * MIB, `${logged} bytes of log`);
  } finally {
    inside.close();
    for (const { close } of hostile) close();
  }
}

function kubeconfig(cluster: object, user: object = { token: 't' }): string {
  return JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster }],
    users: [{ name: 'u', user }],
  });
}

async function memoryOf(port: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? Number.NaN);
}

type Answer = (answer: ServerResponse) => void;

/** API servers that their tenants have taken over. */
async function hostileServers() {
  const made = Authority.create('hostile');
  const { cert, key } = new Authority(made.certificate, made.privateKey).server([outerAddress()], 3_600_000);
  const serve = async (name: string, work: Answer) => {
    let asked = 0;
    const server = createHttpsServer({ cert, key }, (_, answer) => {
      asked += 1;
      answer.on('error', () => answer.destroy());
      work(answer);
    });
    await once(server.listen(0, outerAddress()), 'listening');
    const { address, port } = server.address() as AddressInfo;
    const ca = Buffer.from(made.certificate).toString('base64');
    return {
      name,
      cluster: { server: `https://${address}:${port}`, 'certificate-authority-data': ca },
      wasAsked: () => asked > 0,
      close: () => {
        server.close();
        server.closeAllConnections();
      },
    };
  };
  let count = 0;
  const request = (name: string) =>
    JSON.stringify({
      metadata: {
        name,
        uid: 'u',
        resourceVersion: String(count++),
        creationTimestamp: new Date().toISOString(),
      },
      spec: {
        request: 'eA==',
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        username: 'system:node:x',
        groups: ['system:nodes'],
        usages: ['client auth'],
      },
    });
  return Promise.all([
    serve('errors', (answer) => {
      answer.writeHead(500);
      answer.end(JSON.stringify({ kind: 'Status', message: 'x'.repeat(40 * MIB) }));
    }),
    serve('names', (answer) =>
      endless(answer, '{"metadata":{},"items":[', () => `${request('n'.repeat(250 * 1024) + count)},`),
    ),
    serve('many', (answer) =>
      endless(answer, '{"metadata":{},"items":[', () => `${request('n'.repeat(200) + count)},`),
    ),
    serve('silent', () => undefined),
    serve('elsewhere', (answer) => {
      answer.writeHead(302, { location: 'https://127.0.0.1/' });
      answer.end();
    }),
  ]);
}

/** As fast as somebody reads. */
function endless(answer: ServerResponse, begin: string, next: () => string): void {
  answer.write(begin);
  const more = (): void => {
    if (answer.destroyed) return;
    let text = '';
    while (text.length < 64 * 1024) text += next();
    if (answer.write(text)) setImmediate(more);
    else answer.once('drain', more);
  };
  more();
}
