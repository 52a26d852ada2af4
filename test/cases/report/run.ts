import assert from 'node:assert/strict';
import { unitFile } from '../../../build/project.ts';
import { UNSAVED } from '../../../src/agent/report/spool/spool-file.ts';
import { MESSAGE_IDS } from '../../../src/agent/report/transports/journald.ts';
import { type Lab, type Machine, type MachineFile, openLab } from '../../lab/lab.ts';
import { joinableCluster } from '../../support/cluster-api/lab-cluster.ts';
import { type MachineOptions, workerJoin } from '../../support/cluster-api/user-data.ts';
import { outcomeOf, waitForOutcome } from '../../support/expect-outcome.ts';
import { bootMachine } from '../../support/machines.ts';
import { expectCheckIn, SOON } from './check-in.ts';
import { expectPool, HYPERV_GUEST } from './hyperv.ts';
import { observeIgnition } from './ignition.ts';
import { LabController, type ToldEvent } from './receiver.ts';

export const about =
  'slipway-report.service tells a real controller of joins of all kinds, a failure, a killed agent, a power cut, a full disk, and again what it has lost';

const SETTINGS = '/etc/slipway/config.d/50-report.yaml';
const UNIT = 'slipway-report.service';
const UNIT_FILE = `/etc/systemd/system/${UNIT}`;
/** containerd is away until an attempt of kubeadm has failed for it, however slow the machine is. */
const FAILED = 'grep -q "step.ended.*ContainerRuntimeDown" /var/lib/slipway/journal.jsonl';
const LATE = [
  'systemctl stop containerd',
  `systemd-run --quiet sh -c 'until ${FAILED}; do sleep 0.1; done; systemctl start containerd'`,
];

/** A bootstrap is in the middle until it may go on. */
const GO_ON = '/var/lib/goes-on';
const WAIT = `until [ -e ${GO_ON} ]; do sleep 0.2; done`;
/** systemd starts the agent again after so long that a busy reporter has noticed its end. */
const LATER: Record<string, MachineFile> = {
  '/etc/systemd/system/slipway.service.d/later.conf': { content: '[Service]\nRestartSec=20s\n' },
};

export async function run(say: (line: string) => void): Promise<void> {
  const lab = await openLab();
  try {
    const cluster = await joinableCluster(await lab.controlPlane());
    const controller = await LabController.start(lab);
    const boot = async (
      name: string,
      mode: 'service' | 'plain' | 'shim',
      options: MachineOptions = {},
      files: Record<string, MachineFile> = {},
    ) => {
      // The settings come with the user data, as Cluster API's spec.files.
      const settings = { path: SETTINGS, content: await controller.settingsFor(name), permissions: '0600' };
      const userData = workerJoin(cluster, { ...options, files: [settings] });
      return bootMachine(lab, name, { role: 'worker', userData, mode, report: true, files });
    };

    const joined = await boot('r1', 'service', {}, SOON);
    await controller.told('r1', 'its first step', ({ type }) => type === 'step.started');
    await controller.snapshot();
    await expectJoin(joined, controller, 'bootstrap');
    await expectEnd(joined);
    await expectJournal(joined);
    // More than 3.0 is a failure; by this machine's systemd, as everybody can measure it.
    for (const file of [UNIT_FILE, '/etc/systemd/system/slipway-checkin.service'])
      await joined.execOk([...'systemd-analyze security --offline=yes --threshold=30'.split(' '), file]);
    say('a join is told step by step, and its Node until it is Ready; the reporter is gone then');

    const trial = await joined.execOk(['slipway', 'report', '--test']);
    assert.match(trial, /^ok {4}certificate +the controller knows this machine/m);
    assert.match(await joined.execOk(['slipway', 'status']), /^Reporting +to .*acknowledged event \d+/m);
    await expectCheckIn(joined, controller);
    say('a controller that was put back is told again by the check-in, which comes and goes with its file');

    const refused = await boot('r2', 'service', {
      discovery: { timeout: '5s', caCertHash: `sha256:${'0'.repeat(64)}` },
    });
    const outcome = await waitForOutcome(refused);
    assert.equal(outcome.failure?.code, 'CaHashMismatch');
    const end = await controller.told('r2', 'the failure', ({ type }) => type === 'sequence.ended');
    assert.deepEqual((end.failure as { code: string }).code, 'CaHashMismatch');
    await expectEnd(refused);
    say('a failure is told with its code');

    const killed = await boot('r3', 'service', { preKubeadmCommands: [WAIT] }, LATER);
    await controller.told('r3', 'its first step', ({ type }) => type === 'step.started');
    await killed.execOk(['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', 'slipway.service']);
    const lost = await controller.told('r3', 'the loss', ({ type }) => type === 'agent.lost');
    assert.equal((lost.failure as { code: string }).code, 'AgentKilled');
    assert.match((lost.failure as { cause: string }).cause, /killed by signal 9|ended without a verdict/);
    await killed.put(GO_ON, '');
    await expectJoin(killed, controller, 'bootstrap');
    // Before systemd started the next one; both times are of this machine's clock.
    const show = ['systemctl', 'show', 'slipway.service', '--timestamp=unix', '-p', 'ExecMainStartTimestamp'];
    const nextAt = Number(/=@(\d+)$/m.exec(await killed.execOk(show))?.[1]) * 1000;
    assert.ok(Date.parse(lost.time) < nextAt, `lost at ${lost.time}, started again at ${nextAt}`);
    say('a killed agent is noticed before the next one is started, which went on and joined');

    const rebooted = await boot('r4', 'service', { preKubeadmCommands: [WAIT] });
    await controller.told('r4', 'its first step', ({ type }) => type === 'step.started');
    // The outage: nothing listens while the machine goes on, is cut from power, and comes up again.
    await controller.machine.execOk(['systemctl', 'kill', '--signal=STOP', 'slipway-controller']);
    await rebooted.reboot({ hard: true });
    await rebooted.put(GO_ON, '');
    await waitForOutcome(rebooted);
    await controller.machine.execOk(['systemctl', 'kill', '--signal=CONT', 'slipway-controller']);
    await expectJoin(rebooted, controller, 'bootstrap');
    await expectEnd(rebooted);
    say('nothing is lost or told twice over a power cut during an outage of the controller');

    const [plain, shim] = await Promise.all([
      boot('r5', 'plain', {}, HYPERV_GUEST),
      boot('r7', 'shim', { preKubeadmCommands: LATE }),
    ]);
    await expectJoin(plain, controller, 'observed');
    const seen = (event: ToldEvent) => event.type === 'step.progress' && event.message === 'kubeadm join';
    await controller.told('r5', 'the process of kubeadm', seen);
    await finished(plain);
    await expectPool(plain);
    say(
      'a boot without Slipway is told from outside: cloud-init, kubeadm, the Node; and to a host of Hyper-V',
    );

    const attempt = await controller.told('r7', 'an attempt', ({ type }) => type === 'step.attempt');
    assert.equal((attempt.failure as { code: string }).code, 'ContainerRuntimeDown', JSON.stringify(attempt));
    assert.equal((attempt.step as { id: string }).id, 'kubeadm', JSON.stringify(attempt));
    await expectJoin(shim, controller, 'shim');
    say('a boot in which cloud-init calls Slipway as kubeadm is told with its attempts and its verdict');

    const ignition = { path: SETTINGS, content: await controller.settingsFor('r8') };
    await expectJoin(await observeIgnition(lab, controller, cluster, ignition, 'r8'), controller, 'observed');
    say('a boot with Ignition is told from outside, over a failure, a reboot and an attempt in vain');

    await expectFullDisk(lab, controller, workerJoin(cluster));
    say('a full disk is told in spite of it, by a reporter that was killed meanwhile');
  } finally {
    await lab.close();
  }
}

/** Neither journal nor spool can be written: the verdict of the bootstrap must come through all the same. */
async function expectFullDisk(lab: Lab, controller: LabController, userData: string): Promise<void> {
  const name = 'r6';
  const machine = await bootMachine(lab, name, {
    role: 'worker',
    userData,
    mode: 'binary',
    files: {
      [SETTINGS]: { content: await controller.settingsFor(name), mode: 0o600 },
      [UNIT_FILE]: { content: unitFile(UNIT) },
    },
  });
  const fill =
    'mkdir -p /var/lib/slipway && mount -t tmpfs -o size=64k,mode=700 tmpfs /var/lib/slipway && ' +
    '! dd if=/dev/zero of=/var/lib/slipway/filling bs=4k 2>/dev/null';
  await machine.execOk(['sh', '-c', fill]);
  await controller.machine.execOk(['systemctl', 'kill', '--signal=STOP', 'slipway-controller']);
  await machine.execOk(['systemctl', 'start', UNIT]);
  assert.equal((await machine.exec(['slipway', 'bootstrap'])).code, 75);
  await machine.waitFor(async () => (await machine.exec(['grep', '-q', 'DiskFull', UNSAVED])).code === 0, {
    timeoutMs: 600_000,
    what: 'the events to be kept in memory',
  });
  // Killed, its successor finds there what the disk did not take.
  await machine.execOk(['systemctl', 'kill', '--signal=KILL', UNIT]);
  await controller.machine.execOk(['systemctl', 'kill', '--signal=CONT', 'slipway-controller']);
  const end = await controller.told(name, 'the full disk', ({ type }) => type === 'sequence.ended');
  assert.equal((end.failure as { code: string }).code, 'DiskFull');
  const events = (await controller.node(name))?.events ?? [];
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
}

/** cloud-init has told its own end too. */
async function finished(machine: Machine): Promise<void> {
  await machine.waitFor(async () => (await machine.exec(['cloud-init', 'status'])).stdout.includes('done'), {
    timeoutMs: 600_000,
    what: 'cloud-init to be done',
  });
}

/** Everything that belongs to a machine that became a node, once and in order. */
async function expectJoin(machine: Machine, controller: LabController, mode: string): Promise<void> {
  const { name } = machine;
  await controller.told(name, 'success', ({ type }) => type === 'sequence.ended');
  await controller.told(name, 'a Node that is Ready', ({ state }) => state === 'ready');
  // It is looked for beside the Node: on a busy host a Node may be Ready before it was seen.
  await controller.told(name, 'the sentinel', ({ type }) => type === 'sentinel.seen');
  const node = await controller.node(name);
  const events = node?.events ?? [];
  const end = events.findLast(({ type }) => type === 'sequence.ended');
  assert.equal(end?.result, 'succeeded', JSON.stringify(end));
  assert.equal(end?.mode, mode);
  const numbers = events.map(({ seq }) => seq);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
    'nothing lost, nothing twice, in order',
  );
  for (const type of ['sequence.started', 'step.started', 'step.ended', 'fact']) {
    assert.ok(
      events.some((event) => event.type === type),
      `${type} was told`,
    );
  }
}

/** It ends by itself with status 0 and is not started again; its key is for root alone and its token is nowhere. */
async function expectEnd(machine: Machine): Promise<void> {
  const state = async () =>
    (
      await machine.execOk(['systemctl', 'show', UNIT, '-p', 'ActiveState,Result,ExecMainStatus,NRestarts'])
    ).trim();
  await machine.waitFor(async () => (await state()).includes('ActiveState=inactive'), {
    timeoutMs: 600_000,
    what: `${UNIT} to end`,
  });
  assert.match(await state(), /Result=success/);
  assert.match(await state(), /ExecMainStatus=0/);
  assert.match(await state(), /NRestarts=0/);
  const modes = await machine.execOk([
    'sh',
    '-c',
    'stat -c %a /var/lib/slipway/identity /var/lib/slipway/identity/*',
  ]);
  assert.deepEqual([...new Set(modes.trim().split('\n'))].sort(), ['600', '700']);
}

/** systemd's journal has it too, to be found by id and field. */
async function expectJournal(machine: Machine): Promise<void> {
  const id = MESSAGE_IDS['sequence.ended'];
  const found = await machine.execOk(['journalctl', '-o', 'json', `MESSAGE_ID=${id}`]);
  const entry = JSON.parse(found.trim().split('\n').at(-1) ?? '{}');
  assert.equal(entry.SYSLOG_IDENTIFIER, 'slipway');
  assert.equal(entry.SLIPWAY_TYPE, 'sequence.ended');
  assert.match(entry.MESSAGE, /^BOOTSTRAP SUCCEEDED in /);
  assert.equal((await outcomeOf(machine)).result, 'succeeded');
}
