import { describe, expect, it } from 'vitest';
import { readRecord } from './read-journal.ts';

const head = { v: 1, seq: 3, time: '2026-01-02T03:04:05.678Z', mono: 12.5, boot: 'b-1' };
const failure = { code: 'KubeadmTimedOut', cause: 'c', remedy: 'r', exitStatus: 1, lines: ['a'] };
const WHOLE = [
  { type: 'run.started', run: 'r', instance: 'i', mode: 'shim', agent: '0.1.0', pid: 7 },
  {
    type: 'sequence.started',
    run: 'r',
    sequence: 's',
    digest: 'd',
    steps: [{ id: 'a', title: 'b', digest: 'c' }],
    deadlineSeconds: 900,
    resumed: false,
  },
  { type: 'step.started', step: 'a', digest: 'd', attempt: 1 },
  { type: 'step.progress', step: 'a', message: 'm' },
  { type: 'heartbeat', step: 'a' },
  { type: 'step.ended', step: 'a', digest: 'd', attempt: 1, result: 'failed', ms: 1, failure, retryInMs: 5 },
  { type: 'finding', severity: 'warning', code: 'UserDataIgnoredKey', message: 'm', where: '1:2' },
  { type: 'sequence.ended', run: 'r', sequence: 's', result: 'failed', exitStatus: 1, ms: 1, failure },
  { type: 'node.reset', run: 'r', scope: 'node' },
  { type: 'journal.repaired', bytes: 2 },
].map((body): Record<string, unknown> => ({ ...head, ...body }));
/** Fields that may be absent. */
const OPTIONAL = ['failure', 'retryInMs', 'where', 'scope'];

describe('a record of the journal', () => {
  it.each(WHOLE.map((record) => [record.type, record]))('%s is read as it is', (_, record) => {
    expect(readRecord(record)).toBe(record);
  });

  it.each(WHOLE.map((record) => [record.type, record]))(
    '%s is none without a field, or with another type in it',
    (_, record) => {
      for (const name of Object.keys(record)) {
        expect(readRecord({ ...record, [name]: null }), name).toBeUndefined();
        expect(readRecord({ ...record, [name]: ['x'] }), name).toBeUndefined();
        const { [name]: _gone, ...rest } = record;
        if (!OPTIONAL.includes(name)) expect(readRecord(rest), name).toBeUndefined();
      }
    },
  );

  it('is kept when a newer agent invented its type', () => {
    expect(readRecord({ ...head, type: 'later', more: 1 })).toBeDefined();
    expect(readRecord({ ...head, type: 'constructor' })).toBeDefined();
    expect(readRecord({ ...head, v: 2, type: 'heartbeat', step: 'a' })).toBeUndefined();
  });

  it.each([[null], [7], ['x'], [[]], [{}]])('is none: %j', (value) => {
    expect(readRecord(value)).toBeUndefined();
  });
});
