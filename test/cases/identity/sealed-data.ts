import assert from 'node:assert/strict';
import { objectPath } from '../../../src/controller/store/node-bootstrap.ts';
import { eventually } from '../../support/eventually.ts';
import type { MachineWithTpm } from '../../support/tpm/software-tpm.ts';
import type { Scene } from '../hostile/scene.ts';
import { sealedHostile } from './sealed-hostile.ts';
import { code, nodes, opens, seal } from './stubs.ts';

const SECRET = 'planted.0123456789abcdef';
/** User data of each format that a machine may be given; what counts is that the command comes out of them. */
const USER_DATA: Readonly<Record<string, string>> = {
  'cloud-config': `#cloud-config\nruncmd: [kubeadm join 10.0.0.1:6443 --token ${SECRET}]\n`,
  mime: `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/x-shellscript\n\n#!/bin/sh\nkubeadm join 10.0.0.1:6443 --token ${SECRET}\n--x--\n`,
  ignition: JSON.stringify({
    ignition: { version: '3.3.0' },
    systemd: {
      units: [
        {
          name: 'kubeadm.service',
          enabled: true,
          contents: `[Service]\nExecStart=/usr/bin/kubeadm join 10.0.0.1:6443 --token ${SECRET}\n[Install]\nWantedBy=multi-user.target\n`,
        },
      ],
    },
  }),
  document: `apiVersion: slipway.dev/v1alpha1\nkind: UserData\ncommands:\n- {kind: command, shell: 'kubeadm join 10.0.0.1:6443 --token ${SECRET}'}\n`,
};

/** User data that only one machine opens: what it needs for that, and what others get. */
export async function sealedData(scene: Scene, [one, two]: [MachineWithTpm, MachineWithTpm]): Promise<void> {
  await scene.cluster.createMachine('s1', { endorsementKey: one.endorsementKey });
  await scene.cluster.createMachine('s2', { endorsementKey: two.endorsementKey });
  await eventually(
    'the Machine is known',
    async () => (await code(one, await seal(scene, 's1', SECRET))) !== 'SealedDataRefused',
  );
  await allFormats(scene, one);
  await onlyItsOwn(scene, one, two);
  await notAdmitted(scene, one);
  await changedParts(scene, one);
  await sealedHostile(scene, [one, two]);
}

/** Each format of stub holds each format of user data; each opening is a proof of its own. */
async function allFormats(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const stubs = Object.keys(USER_DATA);
  for (const [at, [name, content]] of Object.entries(USER_DATA).entries()) {
    const format = stubs[(at + 1) % stubs.length] ?? '';
    const stub = await seal(scene, 's1', content, '--format', format);
    assert.doesNotMatch(stub, new RegExp(SECRET));
    for (let time = 0; time < 2; time += 1) {
      const opened = await opens(scene, machine, stub);
      assert.equal(opened.userData.toString(), content, `${name} behind ${format}`);
    }
  }
  scene.say('user data of each format open behind stubs of each format, once for each proof of the TPM');
}

async function onlyItsOwn(scene: Scene, one: MachineWithTpm, two: MachineWithTpm): Promise<void> {
  const content = USER_DATA['cloud-config'] ?? '';
  const stub = await seal(scene, 's1', content);
  // The other machine's proof is of another Machine, for which nothing is sealed, and then something else.
  assert.equal(await code(two, stub), 'SealedDataMissing');
  const other = await seal(scene, 's2', `${content}# of the other\n`);
  assert.equal(await code(two, stub), 'SealedDataMismatch');
  assert.equal(await code(one, other), 'SealedDataMismatch');
  // With the other's TPM it is the other, whatever it calls itself.
  const thief = { ...one, host: { ...one.host, tpm: two.host.tpm } };
  assert.match(String(await code(thief, stub)), /^(EndorsementKeyForeign|SealedDataRefused)$/);
  await one.host.files.remove('/var/lib/slipway');
  await opens(scene, one, stub);
  scene.say("another machine's proof opens nothing, and a swapped stub is noticed");
}

async function notAdmitted(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const { cluster } = scene;
  const stub = await seal(scene, 's1', USER_DATA['cloud-config'] ?? '');
  await nodes(scene, 'quarantine', 's1');
  await eventually('it is quarantined', async () => (await code(machine, stub)) === 'NodeQuarantined');
  await nodes(scene, 'admit', 's1');
  await eventually('it opens again', async () => (await code(machine, stub)) === undefined);
  await cluster.client.request('DELETE', '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines/s1');
  await cluster.client.request('DELETE', objectPath('default', 's1')).catch(() => undefined);
  await eventually('nobody', async () => (await code(machine, stub)) === 'SealedDataRefused');
  await cluster.createMachine('s1', { endorsementKey: machine.endorsementKey });
  scene.say('a quarantined node, and one whose Machine is gone, get nothing, with a code');
}

/** What lies in clear can be changed by anybody. */
async function changedParts(scene: Scene, machine: MachineWithTpm): Promise<void> {
  const content = USER_DATA['cloud-config'] ?? '';
  await eventually('the new Machine is known', async () => {
    const stub = await seal(scene, 's1', content);
    return (await code(machine, stub)) === undefined;
  });
  const inline = await seal(scene, 's1', content, '--inline');
  assert.equal((await opens(scene, machine, inline)).userData.toString(), content);
  const part = /part: "(data:;base64,)([^"]+)"/.exec(inline)?.[2] ?? '';
  const cut = inline.replace(part, part.slice(0, 40));
  assert.equal(await code(machine, cut), 'SealedDataMismatch');
  const later = inline.replace(/expires: "\d{4}/, 'expires: "2099');
  assert.equal(await code(machine, later), 'SealedDataMismatch');
  // Neither a file of the machine nor another protocol is a place for a sealed part.
  for (const place of ['/etc/shadow', 'file:///etc/shadow', 'ftp://a/b', 'gopher://x']) {
    const stub = inline.replace(`data:;base64,${part}`, place);
    assert.equal(await code(machine, stub), 'UserDataInvalid', place);
  }
  const nested = await seal(scene, 's1', inline);
  assert.equal(await code(machine, nested), 'UserDataInvalid');
  const beside = `${await seal(scene, 's1', content)}runcmd: [rm -rf /]\n`;
  assert.equal(await code(machine, beside), 'UserDataInvalid');
  scene.say('a changed, cut, nested or mixed stub opens nothing');
}
