import { eventText } from '../../../src/controller/cli/event-text.ts';
import { additionTo } from '../../../src/controller/ingest/intake.ts';
import { conditionOf } from '../../../src/controller/machines/condition.ts';
import { messageOf } from '../../../src/controller/machines/message.ts';
import type { NodeRecord } from '../../../src/controller/model/node-record.ts';
import { newSummary } from '../../../src/controller/model/summary.ts';
import { readBatch, readReply } from '../../../src/protocol/read-events.ts';
import { WireError } from '../../../src/protocol/wire.ts';
import { jsons } from '../corpus.ts';
import { must, type Target } from '../target.ts';

const machine = { instance: 'i-1', hostname: 'node-1', providerID: 'p://1' };
const step = { id: 'kubeadm join', title: 'kubeadm join' };
const failure = {
  code: 'ApiServerUnreachable',
  cause: 'No answer.',
  remedy: 'Look.',
  exitStatus: 1,
  lines: ['a', ''],
};
const sequence = 's-1';
const BODIES = [
  {
    type: 'sequence.started',
    sequence,
    mode: 'shim',
    agent: '0.1.0',
    steps: [step],
    stepsOmitted: 2,
    deadlineSeconds: 900,
    resumed: false,
  },
  { type: 'step.started', sequence, step, attempt: 1 },
  { type: 'step.progress', sequence, step, message: 'preflight' },
  { type: 'step.attempt', sequence, step, attempt: 1, ms: 5, failure, retryInMs: 100 },
  { type: 'step.ended', sequence, step, attempt: 2, result: 'failed', ms: 5, message: '', failure },
  { type: 'finding', severity: 'warning', code: 'UserDataIgnoredKey', message: 'm', where: '1:2' },
  { type: 'fact', name: 'kernel', value: '6.1' },
  { type: 'heartbeat', sequence, step },
  { type: 'sentinel.seen', path: '/run/cluster-api/bootstrap-success.complete' },
  { type: 'node.observed', node: 'node-1', state: 'not-ready', message: 'cni' },
  { type: 'agent.lost', sequence, how: 'killed', pid: 5, step, failure },
  { type: 'node.reset' },
  { type: 'events.lost', count: 3, why: 'disk full' },
  { type: 'sequence.ended', sequence, mode: 'shim', result: 'failed', exitStatus: 1, ms: 5, step, failure },
];

/** One event of each type. */
export const EVENTS = BODIES.map((body, index) => ({
  ...{ v: 1, machine, boot: 'b-1', seq: index + 4, time: '2026-01-02T03:04:05.678Z', mono: 12 },
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ...body,
}));

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
    const { summary } = additionTo(NODE as NodeRecord, batch.events);
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
