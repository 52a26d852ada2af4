import assert from 'node:assert/strict';
import { SENTINEL } from '../../../src/agent/document/paths.ts';
import { openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth, waitForOutcome } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';

export const about = 'real cloud-init joins a worker with Slipway installed as kubeadm';

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const userData = workerJoin(cluster, {
      preKubeadmCommands: ['kubeadm version -o short >/var/tmp/version'],
      postKubeadmCommands: ['touch /var/tmp/after'],
    });
    const worker = await bootMachine(lab, 'w1', { role: 'worker', userData, mode: 'shim' });
    const outcome = await waitForOutcome(worker);
    assert.equal(outcome.result, 'succeeded');
    assert.equal(outcome.mode, 'shim');
    await worker.waitFor(async () => (await worker.exec(['cloud-init', 'status'])).stdout.includes('done'), {
      timeoutMs: 60_000,
      what: 'cloud-init to be done',
    });
    assert.equal(await worker.read(SENTINEL), 'success\n');
    assert.equal(
      await worker.read('/var/tmp/version'),
      'v1.20.2\n',
      'other kubeadm commands pass straight through',
    );
    assert.ok(await worker.exists('/var/tmp/after'), 'commands after kubeadm ran');
    await expectTruth(worker, [cluster.token]);
    assert.ok(
      !(await worker.read('/var/log/cloud-init-output.log')).includes(cluster.token),
      'the token is in cloud-init-output.log',
    );
    say('joined through cloud-init');

    const again = ['kubeadm', 'join', '--config', '/run/kubeadm/kubeadm-join-config.yaml'];
    const started = performance.now();
    assert.equal((await worker.exec(again)).code, 0, 'the same command again after success');
    say(`called again: status 0 after ${Math.round(performance.now() - started)} ms`);

    const passed = await worker.exec(['kubeadm', 'token', 'generate']);
    assert.equal(passed.code, 0);
    assert.match(
      passed.stdout,
      /^[a-z0-9]{6}\.[a-z0-9]{16}\n$/,
      'nothing is added to the output of other commands',
    );
    assert.equal(passed.stderr, '');
    const same = async (...args: string[]) => {
      const real = await worker.exec(['/usr/bin/kubeadm', ...args]);
      const shimmed = await worker.exec(['kubeadm', ...args]);
      assert.notEqual(real.code, 0);
      assert.equal(shimmed.code, real.code, `kubeadm ${args.join(' ')}: exit status as kubeadm's`);
      return shimmed.stderr;
    };
    const other = [
      '10.99.0.1:6443',
      '--token=abcdef.0123456789abcdef',
      '--discovery-token-unsafe-skip-ca-verification',
    ];
    assert.match(await same('join', ...other), /PortInUse|LeftoversFound/);

    await worker.execOk(['kubeadm', 'reset', '--force']);
    assert.match(await same('join', '--no-such-flag'), /no-such-flag/);
    const rejoin = await worker.exec(again, { timeoutMs: 180_000 });
    assert.equal(rejoin.code, 0, `join after reset: ${rejoin.stderr}`);
    assert.ok(await worker.exists('/etc/kubernetes/kubelet.conf'), 'a join after reset really joins');
    say('reset and joined again');
  } finally {
    await lab.close();
  }
}
