import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScene, type Scene } from '../hostile/scene.ts';
import { attestedIs, policy } from '../identity/governed.ts';
import { CONTROLLER, type Machine, withMachine } from './machine.ts';

export const about =
  "a virtual machine with a kernel's /dev/tpmrm0 and a firmware's boot log is bootstrapped by sealed user data";

/** Boots without KVM. */
export const onlyByName = true;

const ENDPOINT = `https://${CONTROLLER}:8443`;
const SECRET = 'planted.0123456789abcdef';
const USER_DATA = `#cloud-config
slipway: {kubeadm: none}
write_files:
- path: /etc/from-sealed-data
  permissions: "0600"
  content: ${SECRET}
runcmd: [touch /etc/a-command-ran]
`;
/** Firmware, its settings, boot loader, secure boot, and what the kernel's loader measures: initrd and command line. */
const PCRS = [0, 2, 4, 7, 9];

export async function run(say: (line: string) => void): Promise<void> {
  const scene = await openScene(say);
  try {
    const { port } = await scene.start([`--name=${CONTROLLER}`]);
    await withMachine(say, port, (machine) => bootstraps(scene, machine));
  } catch (error) {
    say(`the controller's last words:\n${scene.lastWords()}`);
    throw error;
  } finally {
    await scene.close();
  }
}

async function bootstraps(scene: Scene, machine: Machine): Promise<void> {
  const { cluster, say } = scene;
  const { endorsementKey } = machine;
  await policy(scene, 'vm', {
    selector: { cluster: 'vm' },
    method: 'tpm',
    registers: { pcrs: PCRS, firstUse: true },
  });
  await cluster.createMachine('vm', { cluster: 'vm', endorsementKey });
  const seed = await seedOf(scene);
  assert.doesNotMatch(JSON.stringify(seed), new RegExp(SECRET));

  const told = await machine.boot(seed);
  const identity = JSON.parse(told('identity.json') || assert.fail(told('identity.json.stderr')));
  assert.equal(identity.endorsementKey, endorsementKey);
  assert.ok(identity.bootLog, JSON.stringify(identity));
  assert.deepEqual(identity.bootLog.differs, []);
  assert.deepEqual(
    PCRS.filter((pcr) => !identity.bootLog.agrees.includes(pcr)),
    [],
    JSON.stringify(identity.bootLog),
  );
  assert.equal(told('bootstrap.status'), '0\n', told('bootstrap.stderr'));
  assert.equal(told('from-sealed-data'), SECRET);
  assert.equal(told('a-command-ran'), '');
  const { message } = await attestedIs(scene, 'vm', 'True', 'ProvedByTpm');
  assert.match(message, /Its boot log explains PCR 0, 1, 2, 3, 4, 5, 6, 7, 9\. Policies: vm\.$/);
  assert.equal(told('report.status'), '0\n', told('report.stderr'));
  await cluster.conditionIs('vm', 'True');
  say(`it proves itself, opens its user data and is bootstrapped: ${message}`);

  const other = await machine.boot(seed, 'init=/init single');
  assert.notEqual(other('bootstrap.status'), '0\n');
  assert.equal(other('from-sealed-data'), undefined);
  const refused = await attestedIs(scene, 'vm', 'False', 'TpmBootStateChanged');
  assert.match(
    refused.message,
    /PCR 9 \(kernel or initrd\) is [0-9a-f]{16}…, because of event \d+ of \d+: EV_/,
  );
  assert.doesNotMatch(refused.message, /PCR [0247] /);
  say(`with another command line of the kernel it gets nothing: ${refused.message}`);
}

async function seedOf({ ca, command }: Scene): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-vm-'));
  try {
    const file = join(folder, 'user-data');
    await writeFile(file, USER_DATA);
    const words = ['--machine=vm', '--namespace=default', `--endpoint=${ENDPOINT}`];
    const report = {
      ...{ nodeTimeout: '0s', journal: 'off', console: 'off' },
      controller: { endpoints: [ENDPOINT], ca, tpm: true },
    };
    return {
      'seed/user-data': `${await command('seal', file, ...words)}\n`,
      'etc/machine-id': `${'5'.repeat(32)}\n`,
      // JSON is YAML.
      'etc/slipway/config.yaml': JSON.stringify({ report }),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
