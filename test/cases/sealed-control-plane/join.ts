import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unitFile } from '../../../build/project.ts';
import { type ControlPlane, type Machine, openLab } from '../../lab/lab.ts';
import type { ClusterData } from '../../support/cluster-api/cluster-data.ts';
import { newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { controlPlaneInit, controlPlaneJoin } from '../../support/cluster-api/user-data.ts';
import { type ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { ENDPOINT, machineWithTpm, startLabController } from '../../support/controller/lab-controller.ts';
import { waitForOutcome } from '../../support/expect-outcome.ts';
import { bootMachine, SEED, waitForReady } from '../../support/machines.ts';
import { secretsOf } from '../values.ts';
import { expectVerdict } from '../verdict.ts';

const IPS = { cp1: '10.99.1.10', cp2: '10.99.1.11', cp3: '10.99.1.12' } as const;
const PKI = '/etc/kubernetes/pki';

/**
 * Further control planes get the keys of the cluster's authorities and their join token sealed: one with its whole user data, from
 * the controller; one file by file, for its TPM, on an image where cloud-init writes files and Slipway is kubeadm's shim.
 */
export async function sealedControlPlane(tools: string, say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-control-plane-'));
  let controller: ControllerProcess | undefined;
  const machines: Machine[] = [];
  try {
    const management = await lab.controlPlane();
    controller = await startLabController(management);
    const cluster = await newCluster(IPS.cp1);
    const userData = controlPlaneInit(cluster, IPS.cp1);
    const first = await bootMachine(lab, 'cp1', {
      role: 'control-plane',
      ip: IPS.cp1,
      mode: 'service',
      userData,
    });
    machines.push(first);
    await waitForOutcome(first);
    await expectVerdict(first, { result: 'succeeded' }, secretsOf(cluster));

    const role = 'control-plane';
    const second = await machineWithTpm(lab, management, 'cp2', { role, ip: IPS.cp2, tools });
    machines.push(second);
    const stub = await sealed(management, folder, controlPlaneJoin(cluster, IPS.cp2));
    told(stub, cluster);
    await second.put(`${SEED}/user-data`, stub, 0o600);
    await second.put('/etc/systemd/system/slipway.service', unitFile('slipway.service'));
    await second.execOk(['systemctl', 'enable', '--now', '--no-block', 'slipway.service']);
    await waitForOutcome(second);
    await expectVerdict(second, { result: 'succeeded', mode: 'bootstrap' }, secretsOf(cluster));
    await waitForReady(first, ['cp1', 'cp2']);
    say(
      'a second control plane joins with nothing in its user data but a stub: the keys of the authorities came sealed',
    );

    const third = await machineWithTpm(lab, management, 'cp3', {
      ...{ role, ip: IPS.cp3, tools, cloudInit: true },
      files: { '/usr/local/bin/kubeadm': { symlink: 'slipway' } },
    });
    machines.push(third);
    const files = await eachSealed(third, folder, controlPlaneJoin(cluster, IPS.cp3, { name: 'cp3' }));
    told(files, cluster);
    await third.put(`${SEED}/user-data`, files, 0o600);
    // Its first boot found none.
    await third.execOk(['cloud-init', 'clean']);
    await third.reboot();
    await waitForOutcome(third);
    await expectVerdict(third, { result: 'succeeded', mode: 'shim' }, secretsOf(cluster));
    await waitForReady(first, ['cp1', 'cp2', 'cp3']);
    const keys = [`${PKI}/ca.key`, `${PKI}/etcd/ca.key`];
    assert.equal(await third.execOk(['stat', '-c', '%a %U', ...keys]), '600 root\n600 root\n');
    for (const path of keys) assert.match(await third.read(path), /PRIVATE KEY/);
    say('a third one on an image with cloud-init: each file was sealed for its TPM, and the shim opens them');
  } catch (error) {
    say(`the controller's last words:\n${controller?.lines.slice(-8).join('\n')}`);
    const last = machines.at(-1);
    say(`the machine's:\n${await last?.logs('slipway.service')}\n${await last?.logs('cloud-final.service')}`);
    throw error;
  } finally {
    await controller?.end('SIGKILL');
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Nothing of what makes a control plane can be read in it. */
function told(userData: string, cluster: ClusterData): void {
  for (const secret of secretsOf(cluster)) assert.ok(!userData.includes(secret), 'a secret lies in clear');
  assert.ok(!/PRIVATE KEY/.test(userData));
}

async function sealed(management: ControlPlane, folder: string, userData: string): Promise<string> {
  const file = join(folder, 'user-data');
  await writeFile(file, userData);
  const access = [`--kubeconfig=${management.adminKubeconfig}`, `--endpoint=${ENDPOINT}`];
  const words = ['seal', file, '--machine=cp2', '--namespace=default', ...access];
  const { code, stdout, stderr } = await controllerCommand(words, management.onSwitch([]));
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Each file of the user data that has a secret in it, sealed for the machine's TPM at its path. */
async function eachSealed(machine: Machine, folder: string, userData: string): Promise<string> {
  const identity = join(folder, 'identity.json');
  await writeFile(identity, await machine.execOk(['slipway', 'identity', '--output', 'json']));
  const file = /^(- {3}path: (\S+)\n(?: {4}.*\n)*? {4}content: \|\n)((?: {6}.*\n)+)/gm;
  const found = [...userData.matchAll(file)];
  const texts = await Promise.all(
    found.map(async ([all, head = '', path = '', body = '']) => {
      const content = body.replaceAll(/^ {6}/gm, '');
      if (!path.endsWith('.key') && !content.includes('token:')) return all;
      const sealed = await sealedFile({ folder, identity, path, content });
      return `${head}${sealed.trimEnd().replaceAll(/^/gm, '      ')}\n`;
    }),
  );
  let at = 0;
  return userData.replaceAll(file, (all) => texts[at++] ?? all);
}

async function sealedFile(of: Record<'folder' | 'identity' | 'path' | 'content', string>): Promise<string> {
  const { folder, identity, path, content } = of;
  const file = join(folder, path.replaceAll('/', '_'));
  await writeFile(file, content);
  const words = ['seal', file, `--for=${identity}`, `--path=${path}`];
  const { code, stdout, stderr } = await controllerCommand(words);
  assert.equal(code, 0, stderr);
  return stdout;
}
