import { expect, it } from 'vitest';
import type { EventBody, SlipwayEvent } from '../../../protocol/events.ts';
import { describeEvent } from './describe-event.ts';

const step = { id: 'a', title: 'A' };
const begun = { type: 'sequence.started', sequence: 's', mode: 'bootstrap', agent: '1' } as const;
const bodies: [string, EventBody][] = [
  ['the bootstrap started (1 step)', { ...begun, resumed: false, steps: [step] }],
  ['the bootstrap continues (2 steps)', { ...begun, resumed: true, steps: [step, { ...step, id: 'b' }] }],
  ['1 event of this report was lost: why', { type: 'events.lost', count: 1, why: 'why' }],
  ['2 events of this report were lost: why', { type: 'events.lost', count: 2, why: 'why' }],
];

it.each(bodies)('says to people: %s', (line, body) => {
  const event: SlipwayEvent = {
    v: 1,
    machine: { instance: 'i', hostname: 'h' },
    boot: 'b',
    seq: 1,
    time: '2026-01-02T03:04:05.678Z',
    mono: 1,
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    ...body,
  };
  expect(describeEvent(event)).toBe(line);
});
