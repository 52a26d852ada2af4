import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createHost } from '../create-host.ts';
import { outcomeOf, outcomeWithoutSequence } from './outcome.ts';

const FAILURE = {
  code: 'JournalNotWritten' as const,
  cause: 'The disk is full.',
  remedy: 'Free some space.',
};

it('leads with result, message and failure, whether or not a step has begun', async () => {
  const host = createHost({ root: scratch() });
  const about = { mode: 'bootstrap' as const, agent: '0', instance: 'i' };
  const sequence = {
    ...{ result: 'failed' as const, exitStatus: 1, failure: FAILURE, findings: [], steps: [] },
    ...{ ran: 1, sequence: 's', startedAt: '2026-01-01T00:00:00.000Z', ms: 1 },
  };
  for (const outcome of [
    await outcomeOf(host, about, sequence),
    await outcomeWithoutSequence(host, about, 'failed', FAILURE),
  ])
    expect(Object.keys(outcome).slice(0, 6)).toEqual([
      ...['version', 'result', 'exitStatus', 'message', 'failure', 'findings'],
    ]);
});
