import { expect, it } from 'vitest';
import type { EventBody, SlipwayEvent } from '../../protocol/events.ts';
import { type EndState, endReason } from './end-reason.ts';

const failure = { code: 'Unclassified', cause: 'c', remedy: 'r' };
const event = (body: EventBody): SlipwayEvent => ({ mono: 1000, ...body }) as SlipwayEvent;
const ended = (result: 'succeeded' | 'failed', more: object = {}) =>
  event({ type: 'sequence.ended', sequence: 's', mode: 'shim', result, exitStatus: 0, ms: 1, ...more });
const lost = event({ type: 'agent.lost', sequence: 's', how: 'killed', pid: 1, failure });
const began = event({ type: 'sequence.started', sequence: 's', mode: 'shim', steps: [], resumed: false });

const after = (ms: number, last: SlipwayEvent | undefined, more: Partial<EndState> = {}) =>
  endReason({
    now: 1000 + ms,
    idleSince: 1000,
    last,
    working: false,
    nodeSettled: false,
    idleMs: 30_000,
    nodeMs: 20_000,
    ...more,
  });

it.each([
  ['nothing has happened yet', undefined, 29_000, {}, undefined],
  ['nothing ever happened', undefined, 31_000, {}, /no bootstrap/],
  ['an agent is at work, whatever was before', ended('failed'), 90_000, { working: true }, undefined],
  ['a sequence is under way', began, 900_000, {}, undefined],
  ['the node was reset', event({ type: 'node.reset' }), 1, {}, /was reset/],
  [
    'the node was reset and an agent is at work',
    event({ type: 'node.reset' }),
    1,
    { working: true },
    undefined,
  ],
  ['it failed for good', ended('failed', { failure }), 1, {}, /failed, and that is final/],
  [
    'it was told to stop, perhaps for a restart',
    ended('failed', { failure: { ...failure, code: 'Interrupted' } }),
    59_000,
    {},
    undefined,
  ],
  [
    'it was told to stop for good',
    ended('failed', { failure: { ...failure, code: 'Interrupted' } }),
    61_000,
    {},
    /final/,
  ],
  ['it succeeded, and the Node is not Ready yet', ended('succeeded'), 19_000, {}, undefined],
  ['it succeeded, and the Node is Ready', ended('succeeded'), 1, { nodeSettled: true }, /is bootstrapped$/],
  ['it succeeded, and the Node never got Ready', ended('succeeded'), 21_000, {}, /not seen Ready/],
  ['the agent is lost and may come back', lost, 59_000, {}, undefined],
  ['the agent is lost and did not come back', lost, 61_000, {}, /was not restarted/],
] as const)('when %s', (_, last, ms, more, expected) => {
  const reason = after(ms, last, more);
  if (expected === undefined) expect(reason).toBeUndefined();
  else expect(reason).toMatch(expected);
});
