import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unitFile } from '../../../build/project.ts';
import { type ControlPlane, type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { type ControllerProcess, controllerCommand } from '../../support/controller/controller-process.ts';
import { ENDPOINT, machineWithTpm, startLabController } from '../../support/controller/lab-controller.ts';
import { waitForOutcome } from '../../support/expect-outcome.ts';
import { SEED } from '../../support/machines.ts';
import { secretsOf } from '../values.ts';
import { expectVerdict } from '../verdict.ts';

const BEGUN = '/var/lib/has-begun';
const GO_ON = '/var/lib/goes-on';
/** In the join's own configuration, and in a command before it. */
const PLANTED = ['planted-password-0123456789', 'planted.token.abcdef0123456789'];

/** A machine with a TPM and nothing secret in its user data or image joins a cluster by kubeadm. @param tools the layer with swtpm */
export async function sealedJoin(tools: string, say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-join-'));
  let controller: ControllerProcess | undefined;
  let machine: Machine | undefined;
  try {
    const control = await lab.controlPlane();
    controller = await startLabController(control);
    machine = await machineWithTpm(lab, control, 'w1', { role: 'worker', tools });
    const cluster = await joinableCluster(control);
    const secrets = [...secretsOf(cluster), ...PLANTED];
    const userData = workerJoin(cluster, {
      files: [{ path: '/run/settings', content: `password: ${PLANTED[0]}\n`, permissions: '0600' }],
      // The power goes while this waits.
      preKubeadmCommands: [
        `echo apiToken=${PLANTED[1]} >/dev/null`,
        `touch ${BEGUN}; until [ -e ${GO_ON} ]; do sleep 0.2; done`,
      ],
    });
    const file = join(folder, 'user-data');
    await writeFile(file, userData);
    const sealed = await seal(control, ['seal', file, '--machine=w1', '--namespace=default']);
    for (const secret of secrets) assert.ok(!sealed.includes(secret), 'the stub holds a secret');
    await machine.put(`${SEED}/user-data`, sealed, 0o600);
    await machine.put('/etc/systemd/system/slipway.service', unitFile('slipway.service'));
    await machine.execOk(['systemctl', 'enable', '--now', '--no-block', 'slipway.service']);
    await cutInTheMiddle(machine);
    await waitForOutcome(machine);
    await expectVerdict(machine, { result: 'succeeded', mode: 'bootstrap' }, secrets);
    const { log } = controller;
    assert.equal(log.split('released sealed user data').length - 1, 2, log);
    say(
      'a machine with nothing secret in its user data joins by kubeadm, and proves itself again after a power cut',
    );

    await controller.end('SIGKILL');
    await machine.reboot();
    await waitForOutcome(machine);
    await expectVerdict(machine, { result: 'succeeded', mode: 'bootstrap' }, secrets);
    for (const secret of secrets)
      assert.equal(await holders(machine, secret), '', `${secret} lies on the machine`);
    say('its next start asks nobody, and no secret of the user data is left on it');
  } catch (error) {
    say(`the controller's last words:\n${controller?.lines.slice(-12).join('\n')}`);
    say(`the machine's:\n${await machine?.logs('slipway.service')}`);
    throw error;
  } finally {
    await controller?.end('SIGKILL');
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function cutInTheMiddle(machine: Machine): Promise<void> {
  await machine.waitFor(() => machine.exists(BEGUN), {
    timeoutMs: 600_000,
    what: 'a command of the user data to begin',
  });
  await machine.reboot({ hard: true });
  await machine.put(GO_ON, '');
}

/** Names of files on the machine's disk that hold a text. */
async function holders(machine: Machine, text: string): Promise<string> {
  const places = ['/etc', '/var', '/run', '/root', '/home', '/tmp', '/opt', '/srv', '/usr/local'];
  const found = await machine.exec(['grep', '-rlsaF', '--', text, ...places]);
  return found.stdout.trim();
}

async function seal(control: ControlPlane, words: readonly string[]): Promise<string> {
  const access = [`--kubeconfig=${control.adminKubeconfig}`, `--endpoint=${ENDPOINT}`];
  const { code, stdout, stderr } = await controllerCommand([...words, ...access], control.onSwitch([]));
  assert.equal(code, 0, stderr);
  return stdout;
}
