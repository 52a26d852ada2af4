import { expect, it } from 'vitest';
import type { JournalRecord } from '../../protocol/journal.ts';
import { countBoots } from './reboots.ts';

const record = (boot: string, type: 'heartbeat' | 'sequence.ended'): JournalRecord =>
  ({ boot, type }) as Partial<JournalRecord> as JournalRecord;

it('counts the boots since the last verdict', () => {
  expect(countBoots([])).toBe(0);
  expect(countBoots([record('a', 'heartbeat'), record('b', 'heartbeat'), record('b', 'heartbeat')])).toBe(2);
  expect(
    countBoots([record('a', 'heartbeat'), record('b', 'sequence.ended'), record('b', 'heartbeat')]),
  ).toBe(1);
});
