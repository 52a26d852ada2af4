import { expect, it } from 'vitest';
import type { JournalRecord, RecordBody } from '../../protocol/journal.ts';
import { historyOf } from './history.ts';

const run: RecordBody = {
  ...{ type: 'run.started', run: 'r', instance: 'i', mode: 'bootstrap', agent: '0', pid: 1 },
};
const sequence: RecordBody = {
  ...{ type: 'sequence.started', run: 'r', sequence: 's', digest: 'd', steps: [] },
  ...{ deadlineSeconds: 900, resumed: false },
};
const kubeadm = { step: 'kubeadm', digest: 'd1' } as const;
const begins: RecordBody = { type: 'step.started', ...kubeadm, attempt: 1 };
const beat: RecordBody = { type: 'heartbeat', step: 'kubeadm' };

/** Seconds since boot, or since the reboot, in which each record was written. */
function journal(...entries: [number, RecordBody, string?][]): JournalRecord[] {
  return entries.map(
    ([seconds, body, boot = 'one'], index) =>
      ({ v: 1, seq: index + 1, time: '', mono: seconds * 1000, boot, ...body }) as JournalRecord,
  );
}

it('counts the time of attempts that the agent did not live to end', () => {
  const records = journal(
    ...([
      [1, run],
      [1, sequence],
      [2, begins],
      [62, beat],
    ] as [number, RecordBody][]),
    ...([
      [70, run],
      [70, sequence],
      [71, begins],
      [81, beat],
    ] as [number, RecordBody][]),
    ...([
      [5, run, 'two'],
      [5, sequence, 'two'],
      [6, begins, 'two'],
    ] as [number, RecordBody, string][]),
    [9, { type: 'step.ended', ...kubeadm, attempt: 1, result: 'failed', ms: 3000, retryInMs: 1 }, 'two'],
    [12, begins, 'two'],
    [13, beat, 'two'],
  );
  expect(historyOf(records, 'i').step('kubeadm', 'd1')).toMatchObject({ attempts: 1, spentMs: 74_000 });
});

it('knows after a reset what was made of disks, and nothing else', () => {
  const ids = ['disks', 'raid', 'luks', 'filesystems', 'files', 'kubeadm'];
  const ended = ids.map((step): [number, RecordBody] => [
    2,
    { type: 'step.ended', step, digest: 'd', attempt: 1, result: 'done', ms: 1 },
  ]);
  const reset: RecordBody = { type: 'node.reset', run: 'r', scope: 'node' };
  const past = historyOf(journal([1, run], ...ended, [3, reset]), 'i');
  expect(ids.filter((id) => past.step(id, 'd').ended)).toEqual(['disks', 'raid', 'luks', 'filesystems']);
});
