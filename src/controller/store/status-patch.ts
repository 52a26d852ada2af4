import { messageOf } from '../model/message.ts';
import type { NodeRecord, StoredEvent } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';
import { fillEmptyTexts } from './fill-empty-texts.ts';
import type { NodeBootstrapStatus } from './node-bootstrap.ts';
import { positionOf } from './node-line.ts';
import { type Addition, storedForm } from './store.ts';
import { bytesOf } from './write-budget.ts';

/** What remains of an object that is too large: the beginning and the latest events, half of what fits. */
const KEEP_FIRST = { events: 40, bytes: 60 * 1024 };
const KEEP_LAST = { events: 160, bytes: 240 * 1024 };

export type PatchOperation =
  | { op: 'test' | 'add' | 'replace'; path: string; value: unknown }
  | { op: 'remove'; path: string };

/** The first patch of a node that nothing has been written of yet. */
export function firstPatch(record: NodeRecord, addition: Addition): PatchOperation[] {
  const status: NodeBootstrapStatus = {
    ...head(record, addition),
    ...addition.summary,
    eventLog: addition.events.map(storedForm),
  };
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: record.version },
    { op: 'add', path: '/status', value: fillEmptyTexts(status) },
  ];
}

/** What one batch changes, if nobody has written since `record` was read. */
export function nextPatch(record: NodeRecord, addition: Addition): PatchOperation[] {
  const before: Partial<NodeBootstrapStatus> = { ...record.summary, ...positionPart(record.summary) };
  const after: Partial<NodeBootstrapStatus> = { ...head(record, addition), ...addition.summary };
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return [
    { op: 'test', path: '/status/epoch', value: record.epoch },
    { op: 'test', path: '/status/seq', value: record.seq },
    ...Object.entries(after)
      .filter(([key, value]) => before[key as keyof typeof before] !== value)
      .map(
        ([key, value]): PatchOperation => ({
          op: 'add',
          path: `/status/${key}`,
          value: fillEmptyTexts(value),
        }),
      ),
    ...gone.map((key): PatchOperation => ({ op: 'remove', path: `/status/${key}` })),
    ...addition.events.map(
      (event): PatchOperation => ({
        op: 'add',
        path: '/status/eventLog/-',
        value: fillEmptyTexts(storedForm(event)),
      }),
    ),
  ];
}

/** Lets old events make room. */
export function trimPatch(status: NodeBootstrapStatus | undefined): {
  patch: PatchOperation[];
  removedBytes: number;
} {
  const log = status?.eventLog ?? [];
  const first = firstOf(log, KEEP_FIRST);
  const last = firstOf(log.slice(first.length).reverse(), KEEP_LAST).reverse();
  const kept = [...first, ...last];
  const trimmed = (status?.eventsTrimmed ?? 0) + log.length - kept.length;
  const patch: PatchOperation[] = [
    { op: 'test', path: '/status/seq', value: status?.seq },
    { op: 'replace', path: '/status/eventLog', value: kept },
    { op: 'add', path: '/status/eventsTrimmed', value: trimmed },
  ];
  return { patch, removedBytes: bytesOf(log) - bytesOf(kept) };
}

function head(record: NodeRecord, { epoch, events, summary }: Addition) {
  return {
    epoch,
    seq: events.at(-1)?.seq ?? record.seq,
    storedAt: new Date().toISOString(),
    writes: record.writes + 1,
    message: messageOf(summary),
    ...positionPart(summary),
  };
}

/** As many as there is room for; one at least. */
function firstOf(log: readonly StoredEvent[], room: { events: number; bytes: number }): StoredEvent[] {
  let bytes = 0;
  const end = log.findIndex((event) => {
    bytes += bytesOf(event);
    return bytes > room.bytes;
  });
  return log.slice(0, Math.max(1, Math.min(room.events, end < 0 ? log.length : end)));
}

/** Absent if empty, not a space. */
function positionPart(summary: Summary): { position?: string } {
  const position = positionOf(summary);
  return position === '' ? {} : { position };
}
