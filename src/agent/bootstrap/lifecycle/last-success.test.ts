import { expect, it } from 'vitest';
import type { JournalRecord } from '../../../protocol/journal.ts';
import { lastSuccess } from './last-success.ts';

const run = (instance: string, at: number, result: string): JournalRecord[] =>
  [
    { type: 'run.started', instance, seq: at },
    { type: 'sequence.started', steps: [{ id: `of ${at}`, title: '', digest: 'd' }], seq: at + 1 },
    { type: 'sequence.ended', result, seq: at + 2 },
  ] as unknown as JournalRecord[];

it('is what succeeded last, whatever failed since', () => {
  const records = [...run('i', 1, 'succeeded'), ...run('j', 4, 'succeeded'), ...run('j', 7, 'failed')];
  expect(lastSuccess(records)).toMatchObject({ instance: 'j', seq: 6, steps: [{ id: 'of 4' }] });
  expect(lastSuccess(run('i', 1, 'failed'))).toBeUndefined();
});

it('is nothing any more after a reset', () => {
  const reset = { type: 'node.reset', scope: 'node', seq: 4 } as unknown as JournalRecord;
  expect(lastSuccess([...run('i', 1, 'succeeded'), reset])).toBeUndefined();
  expect(lastSuccess([...run('i', 1, 'succeeded'), reset, ...run('i', 5, 'succeeded')])?.seq).toBe(7);
});

it('is none of a run of which nothing shows that it made a node', () => {
  const [started, began, ended] = run('i', 1, 'succeeded') as [JournalRecord, JournalRecord, JournalRecord];
  const unknown = { ...ended, isNodeUnknown: true } as JournalRecord;
  expect(lastSuccess([started, began, unknown])).toBeUndefined();
  expect(lastSuccess([started, began, unknown, ...run('i', 4, 'succeeded')])?.seq).toBe(6);
});
