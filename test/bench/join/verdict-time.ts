import type { JournalRecord } from '../../../src/protocol/journal.ts';
import type { Machine } from '../../lab/lab.ts';
import { journalOf } from '../../support/expect-outcome.ts';
import { BenchError } from '../measure/measure.ts';
import { CONTENDERS, forget, type Round } from './contenders.ts';

/** Notes when the real kubeadm ended, and hands on how. */
const TIMED_KUBEADM = `#!/bin/sh
/usr/bin/kubeadm "$@"
status=$?
date +%s.%N > /root/kubeadm-ended
exit $status
`;
const UNIT = '/etc/systemd/system/kubelet.service.d/50-bench.conf';

/**
 * From the moment when a permanent failure can be known to the verdict on disk, in milliseconds: kubeadm's own exit (the
 * cluster has another authority), or the kubelet's third end (it does not know a flag).
 */
export async function verdictTimes(
  machine: Machine,
  round: Round,
  runs: { exits: number; crashes: number },
): Promise<{ exits: number[]; crashes: number[] }> {
  const wrong = { ...round.cluster.certificates, caCertHash: `sha256:${'0'.repeat(64)}` };
  const exits: number[] = [];
  await machine.put('/usr/local/bin/kubeadm', TIMED_KUBEADM, 0o755);
  for (let at = 0; at < runs.exits; at += 1) {
    await fail(machine, { ...round, id: `exit-${at}`, cluster: { ...round.cluster, certificates: wrong } });
    const ended = Number(await machine.read('/root/kubeadm-ended'));
    exits.push(1000 * ((await outcomeTime(machine)) - ended));
  }
  await machine.execOk(['rm', '/usr/local/bin/kubeadm']);
  const crashes: number[] = [];
  await machine.put(UNIT, '[Service]\nEnvironment=KUBELET_EXTRA_ARGS=--no-such-flag\n');
  await machine.execOk(['systemctl', 'daemon-reload']);
  for (let at = 0; at < runs.crashes; at += 1) {
    await fail(machine, { ...round, id: `crash-${at}` });
    crashes.push(1000 * ((await outcomeTime(machine)) - (await thirdEnd(machine))));
  }
  await machine.execOk(['rm', UNIT]);
  await machine.execOk(['systemctl', 'daemon-reload']);
  return { exits, crashes };
}

async function fail(machine: Machine, round: Round): Promise<void> {
  await forget(machine);
  const slipway = CONTENDERS.find(({ label }) => label === 'Slipway');
  if ((await slipway?.join(machine, round)) !== undefined)
    throw new BenchError(`${machine.name} joined, which it must not`);
}

/** Seconds since 1970. */
async function outcomeTime(machine: Machine): Promise<number> {
  return Number(await machine.execOk(['stat', '-c', '%.9Y', '/run/slipway/outcome.json']));
}

async function thirdEnd(machine: Machine): Promise<number> {
  const started = (await journalOf(machine)).find(isKubeletStart);
  const log = await machine.execOk([
    ...['journalctl', '-u', 'kubelet', '-o', 'short-unix', '--no-pager', '-q'],
    ...['--since', `@${Math.floor(Date.parse(started?.time ?? '') / 1000)}`],
  ]);
  const ends = log.split('\n').filter((line) => /Main process exited/.test(line));
  const at = Number(ends[2]?.split(' ')[0]);
  if (started === undefined || !(at > 0)) throw new BenchError('the kubelet did not end three times');
  return at;
}

const isKubeletStart = (record: JournalRecord): boolean =>
  record.type === 'step.progress' && /Starting the kubelet/.test(record.message);
