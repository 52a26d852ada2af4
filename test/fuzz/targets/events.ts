import { eventText } from '../../../src/controller/cli/text/event-text.ts';
import { toAddition } from '../../../src/controller/ingest/intake.ts';
import { conditionOf } from '../../../src/controller/machines/condition.ts';
import { messageOf } from '../../../src/controller/model/message.ts';
import type { NodeRecord } from '../../../src/controller/model/node-record.ts';
import { newSummary } from '../../../src/controller/model/summary.ts';
import { readBatch, readReply } from '../../../src/protocol/read-events.ts';
import { WireError } from '../../../src/protocol/wire.ts';
import { BODIES, eventOf, MACHINE } from '../../support/sample-events.ts';
import { jsons } from '../corpus.ts';
import { must, type Target } from '../target.ts';

const machine = { ...MACHINE, providerID: 'p://1' };

/** One event of each type. */
export const EVENTS = BODIES.map((body, index) => eventOf({ ...body, machine }, index + 4));

const isWireError = (error: unknown): boolean => error instanceof WireError;
const NODE = { epoch: 1, seq: 3, summary: newSummary() };

/** What a machine sends, as the controller reads it, folds it and tells of it. */
export const events: Target = {
  name: 'events',
  dictionary: [
    'version',
    'events',
    'machine',
    'seq',
    'time',
    'type',
    ...BODIES.map(({ type }) => type),
    'unknown',
    '2026-02-30T25:61:61Z',
  ],
  corpus: () => [
    ...jsons({ version: 1, machine, reporter: '0.1.0', events: EVENTS }, { version: 1, machine, events: [] }),
    ...EVENTS.flatMap((event) => jsons({ version: 1, machine, events: [event] })),
  ],
  refuses: isWireError,
  run: (bytes) => {
    const batch = readBatch(bytes);
    const again = readBatch(Buffer.from(JSON.stringify({ ...batch, events: batch.events.map(asSent) })));
    must(JSON.stringify(again) === JSON.stringify(batch), 'what was read reads as the same');
    const { summary } = toAddition(NODE as NodeRecord, batch.events);
    const told = batch.events.map((event) => eventText(event).join('\n'));
    must(
      !told.some((text) => /[\p{Cc}\u202a-\u202e]/u.test(text.replaceAll('\n', ''))),
      'a terminal is shown no control characters',
    );
    const condition = conditionOf(summary, 700_000, 1_767_323_045_678);
    return { batch, summary, told, condition, message: messageOf(summary, 1) };
  },
};

/** An event of a type that is not known has its name in another field once it was read. */
function asSent(event: { type: string; kind?: string }): unknown {
  return event.type === 'unknown' ? { ...event, type: event.kind } : event;
}

/** What a controller, or who stands in its place, answers. */
export const reply: Target = {
  name: 'reply',
  dictionary: ['version', 'stored', 'words'],
  corpus: () => jsons({ version: 1, stored: 12 }, { version: 1, stored: 12, words: 'w' }),
  refuses: isWireError,
  run: (bytes) => readReply(bytes),
};
