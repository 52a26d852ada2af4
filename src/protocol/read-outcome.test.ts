import { describe, expect, it } from 'vitest';
import { parseOutcome } from './read-outcome.ts';

const outcome = {
  ...{ version: 1, result: 'bad-input', exitStatus: 2, message: 'm' },
  failure: { code: 'UserDataEmpty', cause: 'c', remedy: 'r' },
  findings: [{ severity: 'info', code: 'UserDataIgnoredKey', message: 'm' }],
  steps: [{ id: 'a', title: 'b', result: 'not run', attempts: 0, seconds: 0 }],
  ...{ instance: 'i', boot: 'b', sequence: '', mode: 'bootstrap', agent: '0.1.0' },
  ...{ startedAt: '2026-01-02T03:04:05.678Z', endedAt: '2026-01-02T03:04:05.678Z', seconds: 0.5 },
};
const read = (value: unknown) => parseOutcome(Buffer.from(JSON.stringify(value)));

describe('outcome.json', () => {
  it('is read as it is, with what a newer agent adds', () => {
    expect(read({ ...outcome, more: [1] })).toEqual({ ...outcome, more: [1] });
  });

  it('is no verdict where another program wrote it, or a part of it', () => {
    expect(parseOutcome(Buffer.from('{"result":'))).toBeUndefined();
    expect(read(null)).toBeUndefined();
    for (const name of Object.keys(outcome).filter((key) => key !== 'version'))
      expect(read({ ...outcome, [name]: { a: 1 } }), name).toBeUndefined();
    expect(read({ ...outcome, steps: [{ id: 'a' }] })).toBeUndefined();
    expect(read({ ...outcome, failure: { ...outcome.failure, lines: 'a' } })).toBeUndefined();
  });
});
