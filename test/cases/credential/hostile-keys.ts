import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import type { Host } from '../../../src/agent/host/host.ts';
import type { HttpRequest } from '../../../src/agent/host/network.ts';
import { createCsr, createKey } from '../../../src/pki/csr.ts';
import { KUBELET_KEY_PATH } from '../../../src/protocol/kubelet-key.ts';
import { eventually } from '../../support/eventually.ts';
import type { Scene } from '../approve/scene.ts';
import type { Cluster, KubeletMachine } from './kubelet-machine.ts';

const OTHER = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Whoever is not the machine, or has another key, gets no certificate (threat model 9, 11 and 22). */
export async function hostileKeys(
  scene: Scene,
  cluster: Cluster,
  [one, two]: readonly [KubeletMachine, KubeletMachine],
): Promise<void> {
  const { say, bootstrap } = scene;
  const early = await scene.ask(bootstrap, { node: 'k1', keys: OTHER });
  await scene.told(early, /has not proved (itself|this key) yet, as policy keys demands/);
  say('a bootstrap token alone gets nothing where a policy demands a proved key');

  const swapped = await refusedWith(one, (request) => ({
    ...request,
    body: withCsr(request.body, createCsr(createKey(), 'system:node:k1', 'system:nodes')),
  }));
  assert.match(swapped, /CredentialRefused/);
  assert.equal((await scene.cluster.node('k1')).spec.kubelet, undefined);
  say("a genuine proof with somebody else's certificate request is refused");

  const sent: HttpRequest[] = [];
  const overheard = sniffed(one.host, (request) => {
    sent.push(request);
    return request;
  });
  const all = await Promise.all([one.give(overheard), one.give(overheard), one.give(overheard)]);
  const [{ credential }] = all;
  assert.deepEqual(
    all.map((given) => given.credential),
    [credential, credential, credential],
  );
  assert.equal(sent.length, 1);
  say('three calls at once make one proof and one request, and get what came of it');
  const proved = (await scene.cluster.node('k1')).spec.kubelet;
  assert.match(proved?.keyDigest ?? '', /^[0-9a-f]{64}$/);
  const stranger = one.host.network.client({ ca: cluster.ca, minTls: 'TLSv1.3' });
  for (const request of sent) assert.equal((await stranger.send(request)).status, 401);
  stranger.close();
  assert.deepEqual((await scene.cluster.node('k1')).spec.kubelet, proved);
  say('an answer that was heard proves nothing to anybody, and no key without a certificate');

  await scene.denied(early, /has proved another key/);
  const late = await scene.ask(bootstrap, { node: 'k1', keys: OTHER });
  await scene.denied(late, /has proved another key/);
  const node = cluster.api.clientWith({ cert: credential.certificate, key: credential.key });
  const own = await scene.ask(node, { node: 'k1', keys: OTHER });
  await scene.denied(own, /has proved another key/);
  node.close();
  say('neither a token nor the node itself gets a certificate for a key that its machine has not proved');

  // B with the TPM of A: what A's TPM signs makes B's node no other one's.
  const thief: Host = { ...two.host, tpm: one.host.tpm };
  await assert.rejects(two.give(thief), /./);
  assert.equal((await scene.cluster.node('k1')).spec.kubelet?.keyDigest, proved?.keyDigest);
  await two.host.files.remove('/var/lib/slipway');
  assert.match((await two.give()).credential.certificate, /BEGIN CERTIFICATE/);
  say("a machine that has another's TPM answer for it changes nothing of that one, and gets nothing");

  await nodes(scene, 'quarantine');
  const quarantined = await one.give(one.after(330)).then(
    ({ trouble }) => String(trouble),
    (error: Error) => String(error),
  );
  assert.match(quarantined, /NodeQuarantined/);
  await nodes(scene, 'admit');
  say('a node in quarantine proves no key');
}

async function nodes({ cluster }: Scene, action: string): Promise<void> {
  const { controllerCommand } = await import('../../support/controller/controller-process.ts');
  const access = `--kubeconfig=${cluster.api.kubeconfig()}`;
  const { code, stderr } = await controllerCommand(['nodes', action, 'default/k1', access]);
  assert.equal(code, 0, stderr);
  await eventually(`the node to be ${action}ed`, async () => {
    const { state } = (await cluster.node('k1')).spec.admission ?? {};
    return state === (action === 'admit' ? 'Admitted' : 'Quarantined');
  });
}

/** What it says when its requests for a key are changed on their way. */
async function refusedWith(
  machine: KubeletMachine,
  change: (request: HttpRequest) => HttpRequest,
): Promise<string> {
  try {
    await machine.give(sniffed(machine.host, change));
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  return assert.fail('it was not refused');
}

function withCsr(body: Uint8Array | undefined, csr: string): Uint8Array {
  return Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(body ?? []).toString()), csr }));
}

function sniffed(host: Host, change: (request: HttpRequest) => HttpRequest): Host {
  const { network } = host;
  return {
    ...host,
    network: {
      ...network,
      client: (options) => {
        const inner = network.client(options);
        const send = (request: HttpRequest) =>
          inner.send(request.url.endsWith(KUBELET_KEY_PATH) ? change(request) : request);
        return { send, close: () => inner.close() };
      },
    },
  };
}
