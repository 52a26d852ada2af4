import { strict as assert } from 'node:assert';
import type { NodeRecord, StoredEvent } from '../../../src/controller/model/node-record.ts';

/** Every event of a machine is stored once and in order, none is lost, and none tells of an agent that was not lost. */
export function expectOnce(record: NodeRecord, events: readonly StoredEvent[]): void {
  const { name, seq, epoch, summary } = record;
  assert.deepEqual(
    events.map((event) => event.seq),
    events.map((_, index) => index + 1),
    `${name}: nothing twice, nothing missing, in order`,
  );
  const counted = { epoch, seq, events: summary.events, lost: summary.lost };
  assert.deepEqual(counted, { epoch: 0, seq: events.length, events: events.length, lost: 0 }, name);
  // Facts and heartbeats are the reporter's own, told when it looked; what the agent did comes in the agent's order.
  const done = events.filter(({ type }) => /^(step|sequence)\./.test(type)).map(({ mono }) => mono);
  assert.deepEqual(
    done,
    done.toSorted((a, b) => a - b),
    `${name}: in the order in which it happened`,
  );
}

/** A bootstrap that was told to its end without a doubt about its agent. */
export function expectWhole(name: string, events: readonly StoredEvent[], commands: number): void {
  const count = (type: StoredEvent['type']) => events.filter((event) => event.type === type).length;
  const told = Object.fromEntries(
    (['sequence.started', 'step.started', 'step.ended', 'sequence.ended', 'agent.lost'] as const).map(
      (type) => [type, count(type)],
    ),
  );
  assert.deepEqual(
    told,
    {
      'sequence.started': 1,
      'step.started': commands,
      'step.ended': commands,
      'sequence.ended': 1,
      'agent.lost': 0,
    },
    name,
  );
}

/** How often the wall time of a machine's events jumps by about an hour or more, forward and back. */
export function jumps(events: readonly StoredEvent[]): { forward: number; back: number } {
  const differences = events.slice(1).map((event, index) => {
    const before = events[index];
    return Date.parse(event.time) - Date.parse(before?.time ?? '');
  });
  return {
    forward: differences.filter((ms) => ms > 3_500_000).length,
    back: differences.filter((ms) => ms < -3_500_000).length,
  };
}
