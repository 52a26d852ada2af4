import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Machine, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { type ClusterData, workerJoin } from '../../support/cluster-api/user-data.ts';
import { expectTruth, journalOf, waitForOutcome } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';

export const about =
  'the agent killed at any moment, the machine rebooted in the middle of a join: it goes on, nothing twice';

/** A join takes some 15 s here; kills after a second or so each fall into every step of it. */
const KILL_WITHIN_MS = 1800;
const KILLS = 10;

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const controlPlane = await lab.controlPlane();
    const cluster = await joinableCluster(controlPlane);
    const start = (name: string) =>
      bootMachine(lab, name, { role: 'worker', userData: countingJoin(cluster), mode: 'binary' });

    const killed = await start('w1');
    const kills = await killOften(killed);
    assert.ok(kills > 2, `the agent was killed only ${kills} times`);
    assert.equal((await waitForOutcome(killed)).result, 'succeeded');
    await expectTruth(killed, [cluster.token]);
    await expectOnce(killed);
    const starts = (await journalOf(killed)).filter(({ type }) => type === 'run.started').length;
    say(`joined after ${kills} kills, ${starts} runs of the agent`);

    for (const hard of [true, false]) {
      const machine = await bootMachine(lab, hard ? 'w2' : 'w3', {
        role: 'worker',
        userData: countingJoin(cluster),
        mode: 'service',
      });
      await machine.waitFor(async () => (await machine.exec(['pgrep', '-x', 'kubeadm'])).code === 0, {
        timeoutMs: 60_000,
        what: 'kubeadm to run',
      });
      await sleep(randomInt(0, 8000));
      await machine.reboot({ hard });
      const outcome = await waitForOutcome(machine);
      assert.equal(outcome.result, 'succeeded', JSON.stringify(outcome.failure));
      await expectTruth(machine, [cluster.token]);
      await expectOnce(machine);
      say(`joined after ${hard ? 'a power cut' : 'a reboot'} in the middle of kubeadm`);
    }
    const nodes = await controlPlane.kubectl(['get', 'nodes', '--output=name']);
    assert.deepEqual(nodes.trim().split('\n').sort(), ['node/w1', 'node/w2', 'node/w3']);
  } finally {
    await lab.close();
  }
}

/** Each command leaves a line, some take their time, so that kills fall into them. */
function countingJoin(cluster: ClusterData): string {
  const count = (name: string, seconds: number) => `sleep ${seconds}; echo ${name} >>/var/tmp/count`;
  return workerJoin(cluster, {
    preKubeadmCommands: [count('a', 0), count('b', 1.5), 'value=kept', count('c', 0.2)],
    postKubeadmCommands: [count('d', 1), count('e', 0)],
  });
}

async function expectOnce(machine: Machine): Promise<void> {
  assert.equal(await machine.read('/var/tmp/count'), 'a\nb\nc\nd\ne\n', 'each command ran once');
  const debris = await machine.execOk([
    'find',
    '/etc',
    '/run/kubeadm',
    '/run/cluster-api',
    '/var/lib/slipway',
    '-name',
    '.slipway-*',
  ]);
  assert.equal(debris, '', 'no temp file is left');
}

/** Starts the agent again and again and kills it after a random time, until it has come to its end. */
async function killOften(machine: Machine): Promise<number> {
  let kills = 0;
  while (true) {
    const child = machine.spawn(['slipway', 'bootstrap'], { stdio: 'ignore' });
    const ended = child.then(() => undefined);
    if (kills === KILLS) {
      await ended;
      return kills;
    }
    const timer = new Promise<'time'>((resolve) =>
      setTimeout(() => resolve('time'), randomInt(100, KILL_WITHIN_MS)),
    );
    if ((await Promise.race([ended, timer])) !== 'time') return kills;
    if (await kill(machine, ended)) kills += 1;
    await ended;
  }
}

/** It may not have its name yet, or have ended by itself just now; only what was really killed counts. */
async function kill(machine: Machine, ended: Promise<void>): Promise<boolean> {
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    const { code } = await machine.exec(['pkill', '-KILL', '-x', 'slipway']);
    if (code === 0) return true;
    await sleep(20);
  }
  return false;
}
