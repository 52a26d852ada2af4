import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import type { Host } from '../../../src/agent/host/host.ts';
import { CHALLENGE_PATH } from '../../../src/protocol/attestation.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { attestedIs, nodes, policy, refused, reports } from './governed.ts';

/** Policies that trust whom a maker vouches for: swtpm_localca's root, and the authority below it that signs. */
export async function makers(scene: Scene, [one, two]: [MachineWithTpm, MachineWithTpm]): Promise<void> {
  const { root = '', issuer = '' } = one.makers ?? {};
  const { endorsementKey } = one;
  const trusting = (name: string, authorities: string): Promise<void> =>
    policy(scene, name, { selector: { machine: name }, method: 'tpm', endorsementKeys: { authorities } });
  const machine = async (name: string): Promise<void> => {
    await scene.cluster.createMachine(name, { cluster: 'makers', endorsementKey });
  };
  const gone = (name: string) =>
    scene.cluster.client.request(
      'DELETE',
      `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/${name}`,
    );

  await trusting('whole', `${root}${issuer}`);
  await machine('whole');
  const shown: unknown[] = [];
  await reports(
    scene,
    { ...one, host: asking(one.host, (body) => void shown.push(body.certificates)) },
    'whole',
  );
  await attestedIs(scene, 'whole', 'True', 'ProvedByTpm');
  await nodes('release', 'default/whole', scene);
  await gone('whole');
  // Who signed the key's certificate is known by nobody but that authority, which the TPM does not hold.
  await trusting('root-alone', root);
  await machine('root-alone');
  await refused(scene, one, 'root-alone', /EndorsementKeyUntrusted/);
  await attestedIs(scene, 'root-alone', 'False', 'EndorsementKeyUntrusted');
  await gone('root-alone');
  await trusting('another', scene.ca);
  await machine('another');
  await refused(scene, one, 'another', /EndorsementKeyUntrusted/);
  await gone('another');
  scene.say(
    "a TPM is trusted by its maker's root and intermediate, and not by the root alone or another maker's",
  );

  await policy(scene, 'first', {
    selector: { machine: 'first' },
    method: 'tpm',
    endorsementKeys: { authorities: `${root}${issuer}`, firstUse: true },
  });
  await scene.cluster.createMachine('first', { cluster: 'makers' });
  const [certificates] = shown;
  assert.equal(typeof certificates, 'string');
  const thief = asking(two.host, (body) => Object.assign(body, { certificates }));
  await refused(scene, { ...two, host: thief }, 'first', /that it shows is of another key/);
  await refused(scene, two, 'first', /has no certificate of its maker/);
  await attestedIs(scene, 'first', 'Unknown', 'EndorsementKeyUntrusted');
  await reports(scene, one, 'first');
  await attestedIs(scene, 'first', 'True', 'ProvedByTpm');
  // What a stranger does afterwards says nothing of a machine that is proved.
  await refused(scene, two, 'first', /has no certificate of its maker/);
  await attestedIs(scene, 'first', 'True', 'ProvedByTpm');
  scene.say("a TPM that no maker knows is not trusted by another's certificate");
}

/** A machine, of which `change` sees what it asks challenges with. */
function asking(host: Host, change: (body: { certificates?: unknown }) => void): Host {
  const client: Host['network']['client'] = (options) => {
    const inner = host.network.client(options);
    return {
      close: () => inner.close(),
      send: (request) => {
        if (!request.url.endsWith(CHALLENGE_PATH)) return inner.send(request);
        const { 'content-encoding': encoding, ...headers } = request.headers ?? {};
        const sent = Buffer.from(request.body ?? []);
        const body = JSON.parse((encoding === 'gzip' ? gunzipSync(sent) : sent).toString());
        change(body);
        return inner.send({ ...request, headers, body: Buffer.from(JSON.stringify(body)) });
      },
    };
  };
  return { ...host, network: { ...host.network, client } };
}
