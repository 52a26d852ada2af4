import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOOT_PCRS, readTpm } from '../../../src/agent/identity/tpm/read-tpm.ts';
import { SECRET_RELEASE_PATH } from '../../../src/protocol/secret-release.ts';
import { eventually } from '../../support/eventually.ts';
import { extendPcr, type MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { code, opens, seal } from './stubs.ts';

const CONTENT = '#cloud-config\nruncmd: [kubeadm join 10.0.0.1:6443 --token abcdef.0123456789abcdef]\n';

/** What a stub that somebody else wrote, or an answer that somebody else heard, is worth. */
export async function sealedHostile(
  scene: Scene,
  [one, two]: [MachineWithTpm, MachineWithTpm],
): Promise<void> {
  await replayed(scene, one);
  await elsewhere(scene, one);
  await waiting(scene, one);
  await byToken(scene, two);
  await offline(scene, one, two);
}

/** Each answer is for one challenge on one connection. */
async function replayed(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const stub = await seal(scene, 's1', CONTENT);
  const bodies: [string, Uint8Array][] = [];
  const statuses: number[] = [];
  const { network } = machine.host;
  const listening: MachineWithTpm = {
    ...machine,
    host: {
      ...machine.host,
      network: {
        ...network,
        client: (options) => {
          const inner = network.client(options);
          return {
            close: () => inner.close(),
            async send(request) {
              if (!request.url.endsWith(SECRET_RELEASE_PATH)) return await inner.send(request);
              bodies.push([request.url, request.body ?? Buffer.alloc(0)]);
              const answer = await inner.send(request);
              // At once, on the same connection, and on another one with the same certificate.
              statuses.push((await inner.send(request)).status);
              const other = network.client(options);
              statuses.push((await other.send(request)).status);
              other.close();
              return answer;
            },
          };
        },
      },
    },
  };
  await opens(scene, listening, stub);
  // Who asks too often is told that first.
  assert.ok(statuses.length >= 2 && statuses.every((status) => status === 401 || status === 429));
  // Without the certificate it is a stranger's.
  const stranger = network.client({ ca: scene.ca, minTls: 'TLSv1.3' });
  for (const [url, body] of bodies)
    assert.equal((await stranger.send({ method: 'POST', url, body, timeoutMs: 10_000 })).status, 401);
  stranger.close();
  scene.say('an answer that was heard opens nothing a second time');
}

/** Servers that anybody may have put into the stub get nothing, and give nothing that counts. */
async function elsewhere(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const asked: string[] = [];
  let answer: RequestListener = (_, response) => response.end('something else');
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${JSON.stringify(request.headers)}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/part`;
  const folder = await mkdtemp(join(tmpdir(), 'slipway-part-'));
  try {
    const file = join(folder, 'part');
    const stub = await seal(scene, 's1', CONTENT, `--url=${url}`, `--part=${file}`);
    assert.equal(await code(machine, stub), 'SealedDataMismatch');
    answer = (_, response) => void endless(response);
    assert.equal(await code(machine, stub), 'SealedDataUnreachable');
    answer = (_, response) => response.writeHead(302, { location: 'file:///etc/shadow' }).end();
    assert.equal(await code(machine, stub), 'SealedDataUnreachable');
    const part = await readFile(file);
    answer = (_, response) => response.end(part);
    assert.equal((await opens(scene, machine, stub)).userData.toString(), CONTENT);
    assert.ok(asked.every((request) => request.startsWith('GET ') && !/authorization|cookie/i.test(request)));
    // A controller that the stub names, and that is none of ours.
    const elsewhere = stub.replace(
      /https:\/\/localhost:\d+/,
      url.replace('http:', 'https:').replace('/part', ''),
    );
    assert.equal(await code(machine, elsewhere), 'SealedDataUnreachable');
  } finally {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await rm(folder, { recursive: true });
  }
  scene.say('a part may lie anywhere: what is not the part, endless, or leads elsewhere does not count');
}

async function endless(response: Parameters<RequestListener>[1]): Promise<void> {
  const piece = Buffer.alloc(1024 * 1024);
  const closed = new Promise((resolve) => response.once('close', resolve));
  while (!response.destroyed) {
    const drained = new Promise((resolve) => response.once('drain', resolve));
    if (response.write(piece)) response.removeAllListeners('drain');
    else await Promise.race([drained, closed]);
    // Whoever hangs up is heard in between.
    await sleep(0);
  }
}

/** A policy wants somebody to admit the machine: it waits, and says what for. */
async function waiting(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { cluster } = scene;
  const path = '/apis/slipway.dev/v1alpha1/namespaces/default/nodeidentitypolicies';
  const spec = { selector: { cluster: 'manual' }, method: 'tpm', admission: 'Manual' };
  await cluster.client.request('POST', path, {
    body: {
      ...{ apiVersion: 'slipway.dev/v1alpha1', kind: 'NodeIdentityPolicy' },
      ...{ metadata: { name: 'manual', namespace: 'default' }, spec },
    },
  });
  await cluster.client.request('DELETE', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/s1');
  await cluster.createMachine('s3', { cluster: 'manual', endorsementKey: machine.endorsementKey });
  await machine.host.files.remove('/var/lib/slipway');
  const stub = await seal(scene, 's3', CONTENT);
  await eventually('it waits', async () => (await code(machine, stub)) === 'NodePending');
  await scene.command('nodes', 'admit', 'default/s3');
  await eventually('it opens', async () => (await code(machine, stub)) === undefined);
  scene.say('who waits to be admitted is told so, and goes on when somebody has');
}

/** A token proves once; nothing about it is fresh afterwards. */
async function byToken(scene: Scene, { host }: MachineWithTpm): Promise<void> {
  await scene.cluster.createMachine('s4', { token: true });
  const token = await scene.cluster.machineToken('s4');
  const endpoint = `https://localhost:${scene.controller.port}`;
  const settings = { report: { controller: { endpoints: [endpoint], ca: scene.ca, token } } };
  await host.files.remove('/var/lib/slipway');
  await host.files.write('/etc/slipway/config.yaml', JSON.stringify(settings), {
    mode: 0o600,
    parentsMode: 0o755,
  });
  const machine = { host, endorsementKey: '', end: async () => undefined };
  const stub = await seal(scene, 's4', CONTENT);
  await eventually('it opens', async () => (await code(machine, stub)) === undefined);
  assert.equal(await code(machine, stub), 'SealedDataTaken');
  const again = await seal(scene, 's4', CONTENT);
  assert.equal(await code(machine, again), undefined);
  await host.files.remove('/etc/slipway/config.yaml');
  await host.files.remove('/var/lib/slipway');
  scene.say('a machine with a token gets what is sealed once');
}

/** The TPM has the key: nobody is asked, and what it was sealed to has to hold. */
async function offline(scene: Scene, one: MachineWithTpm, two: MachineWithTpm): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-identity-'));
  const away: MachineWithTpm = {
    ...one,
    host: {
      ...one.host,
      network: { ...one.host.network, client: () => assert.fail('somebody was asked') },
    },
  };
  try {
    const file = join(folder, 'identity.json');
    const { endorsementKey, publicKey, pcrs } = await readTpm(one.host);
    const values = BOOT_PCRS.pcrs.map((pcr) => [pcr, Buffer.from(pcrs.get(pcr) ?? []).toString('hex')]);
    await writeFile(
      file,
      JSON.stringify({ endorsementKey, publicKey, pcrs: { sha256: Object.fromEntries(values) } }),
    );
    const stub = await seal(scene, 's3', CONTENT, `--for=${file}`, '--pcrs=0,8', '--inline');
    assert.equal((await opens(scene, away, stub)).userData.toString(), CONTENT);
    assert.equal(await code(two, stub), 'SealedDataForeign');
    for (const name of ['seed', 'duplicate', 'public']) {
      const field = new RegExp(`(${name}: "[^"]{40})(.)`);
      const other = stub.replace(field, (_, head, next) => `${head}${next === 'A' ? 'B' : 'A'}`);
      assert.equal(await code(away, other), 'SealedDataMismatch', name);
    }
    const late = {
      ...away,
      host: { ...away.host, clock: { ...away.host.clock, now: () => new Date('2099-01-01') } },
    };
    assert.equal(await code(late, stub), 'SealedDataExpired');
    await extendPcr(one.host, 8);
    assert.equal(await code(away, stub), 'TpmBootStateChanged');
  } finally {
    await rm(folder, { recursive: true });
  }
  scene.say('sealed to a TPM it opens without asking anybody, in its boot state, until it expires');
}
