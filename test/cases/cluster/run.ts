import assert from 'node:assert/strict';
import { SENTINEL } from '../../../src/agent/document/paths.ts';
import { openLab } from '../../lab/lab.ts';
import { newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { controlPlaneInit, controlPlaneJoin, workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth, outcomeOf, waitForOutcome } from '../../support/expect-outcome.ts';
import { bootMachine, kubectl, waitForReady } from '../../support/machines.ts';

export const about =
  'slipway.service makes a control plane, a worker and a second control plane of three machines';

const FIRST = '10.99.1.10';

export async function run(say: (line: string) => void): Promise<void> {
  const cluster = await newCluster(FIRST);
  const secrets = [
    cluster.token,
    ...cluster.certificates.files
      .filter(({ path }) => path.endsWith('.key'))
      .map(({ pem }) => pem.split('\n')[1] ?? ''),
  ];
  const lab = await openLab();
  try {
    const init = controlPlaneInit(cluster, FIRST, {
      bootCommands: ['echo boot >>/var/tmp/boots'],
      preKubeadmCommands: ['export GREETING=hello', 'false', 'cd /var/tmp', 'echo once >>commands'],
      postKubeadmCommands: ['echo "$GREETING from $PWD" >>commands'],
      files: [
        { path: '/etc/lab/base64', content: Buffer.from('plain\n').toString('base64'), encoding: 'base64' },
      ],
    });
    const cp1 = await bootMachine(lab, 'cp1', {
      role: 'control-plane',
      ip: FIRST,
      userData: init,
      mode: 'service',
    });
    assert.equal((await waitForOutcome(cp1)).result, 'succeeded');
    const outcome = await expectTruth(cp1, secrets);
    assert.deepEqual(
      outcome.findings.map(({ code }) => code),
      ['CommandFailed'],
      'the failing command is told, and does not stop',
    );
    assert.equal(
      await cp1.read('/var/tmp/commands'),
      'once\nhello from /var/tmp\n',
      'commands share one shell',
    );
    assert.equal(await cp1.read('/etc/lab/base64'), 'plain\n');
    say('control plane made');

    const worker = await bootMachine(lab, 'w1', {
      role: 'worker',
      userData: workerJoin(cluster),
      mode: 'service',
    });
    assert.equal((await waitForOutcome(worker)).result, 'succeeded');
    await expectTruth(worker, secrets);
    say('worker joined');

    const join = controlPlaneJoin(cluster, '10.99.1.11');
    const cp2 = await bootMachine(lab, 'cp2', {
      role: 'control-plane',
      ip: '10.99.1.11',
      userData: join,
      mode: 'service',
    });
    assert.equal((await waitForOutcome(cp2)).result, 'succeeded');
    await expectTruth(cp2, secrets);
    await waitForReady(cp1, ['cp1', 'cp2', 'w1']);
    say('second control plane joined, all nodes Ready');

    await worker.reboot();
    await waitForOutcome(worker);
    const after = await expectTruth(worker, secrets);
    assert.match(after.message, /nothing was left to do/, 'after a reboot nothing is done twice');
    assert.equal(await worker.read(SENTINEL), 'success\n', 'the sentinel is back after a reboot');
    await cp1.reboot({ hard: true });
    await cp1.waitFor(async () => (await cp1.exec(['test', '-e', '/run/slipway/outcome.json'])).code === 0, {
      timeoutMs: 60_000,
    });
    assert.equal((await outcomeOf(cp1)).result, 'succeeded');
    assert.equal(await cp1.read('/var/tmp/boots'), 'boot\nboot\n', 'bootcmd runs at every boot');
    assert.equal(await cp1.read('/var/tmp/commands'), 'once\nhello from /var/tmp\n', 'runcmd runs once');
    await waitForReady(cp1, ['cp1', 'cp2', 'w1'], 180_000);
    say('rebooted; still Ready');
    assert.match(await kubectl(cp1, 'get', 'nodes'), /w1 +Ready/);
  } finally {
    await lab.close();
  }
}
