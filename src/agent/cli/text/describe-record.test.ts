import { expect, it } from 'vitest';
import type { JournalRecord } from '../../../protocol/journal.ts';
import { describeRecord } from './describe-record.ts';

const STEPS = ['a', 'b', 'c'].map((id) => ({ id, title: id, digest: 'd' }));

it.each([
  [{ resumed: false }, '3 steps to do'],
  [{ resumed: false, ranBefore: 2 }, '1 step to do, 2 of 3 steps had their run before'],
  [{ resumed: false, ranBefore: 3 }, '0 steps to do, 3 of 3 steps had their run before'],
  [{ resumed: true }, 'going on with 3 steps that an earlier run began'],
  [
    { resumed: true, ranBefore: 1 },
    'going on with 2 steps that an earlier run began, 1 of 3 steps had their run before',
  ],
])('tells of a start with %j what is left to do', (more, told) => {
  const record = { type: 'sequence.started', steps: STEPS, ...more };
  expect(describeRecord(record as unknown as JournalRecord)).toBe(told);
});
