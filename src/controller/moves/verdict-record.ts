import { createHmac, timingSafeEqual } from 'node:crypto';
import { asRecord } from '../../kit/json.ts';
import type { KeptVerdict, NodeRecord } from '../model/node-record.ts';
import { newSummary, type Phase, type Summary } from '../model/summary.ts';

/** Phases in which there is something to keep; others begin anew with the next event. */
const KEPT: readonly Phase[] = ['Succeeded', 'Failed', 'Lost', 'Reset'];

/** What a Machine's condition rests on, as it lies in its NodeBootstrap's spec. */
interface Verdict {
  readonly epoch: number;
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
  readonly summary: Summary;
}

/** What a record is signed for. */
type Named = Pick<NodeRecord, 'namespace' | 'name' | 'spec'>;

/**
 * The verdict of a node, signed. `clusterctl move` takes the spec of an object along, and no status, so what the Machine's condition rests on
 * lies in the spec, too. Only a controller with the same key believes it, and only of this node: it names namespace, name and key.
 *
 * @param key of Machines' tokens
 * @returns undefined while there is no verdict
 */
export function verdictOf(record: NodeRecord, key: Uint8Array): KeptVerdict | undefined {
  const { epoch, seq, storedAt, summary } = record;
  if (!KEPT.includes(summary.phase)) return undefined;
  const { steps, facts: _, failure, ...rest } = summary;
  const kept: Summary = {
    ...rest,
    // A condition tells the step that failed, and how many needed several attempts.
    steps: steps.filter(({ attempts, id }) => attempts > 1 || id === summary.step),
    ...(failure === undefined ? {} : { failure: { ...failure, lines: [] } }),
  };
  // What grows with each sign of life is not worth a write.
  const text = JSON.stringify({
    ...{ version: 1, epoch, seq, storedAt: new Date(storedAt).toISOString() },
    summary: { ...kept, heartbeats: 0 },
  });
  return { record: text, mac: macOf(record, text, key).toString('hex') };
}

/** Do both say the same of the Machine? A sequence number alone is no reason to write. */
export function isSameVerdict(one: KeptVerdict | undefined, other: KeptVerdict | undefined): boolean {
  return (
    one?.mac === other?.mac || (one !== undefined && other !== undefined && coreOf(one) === coreOf(other))
  );
}

function coreOf({ record }: KeptVerdict): string {
  const verdict = readVerdict(record);
  const { phase, isNodeUnknown, failure, concern, node } = verdict?.summary ?? newSummary();
  const { name, providerID, state } = node ?? {};
  return JSON.stringify([
    // Another epoch counts events anew: the numbers of the one before would hide them.
    verdict?.epoch,
    ...[phase, isNodeUnknown, failure?.code, failure?.cause, concern?.code, concern?.message],
    ...[name, providerID, state === 'ready'],
  ]);
}

/** What a genuine record says; undefined if no controller with one of these keys has made it for this node. */
export function genuineVerdict(record: Named, keys: readonly Uint8Array[]): Verdict | undefined {
  const kept = record.spec.verdict;
  if (kept === undefined) return undefined;
  const mac = Buffer.from(kept.mac, 'hex');
  const isGenuine = keys.some((key) => {
    const expected = macOf(record, kept.record, key);
    return mac.length === expected.length && timingSafeEqual(mac, expected);
  });
  return isGenuine ? readVerdict(kept.record) : undefined;
}

/** The keys that signed it are ours, so it has the form that this file gives it, or that of another release. */
function readVerdict(text: string): Verdict | undefined {
  const from = asRecord(JSON.parse(text));
  const summary = asRecord(from?.summary);
  if (from?.version !== 1 || summary === undefined) return undefined;
  return {
    epoch: Number(from.epoch),
    seq: Number(from.seq),
    storedAt: Date.parse(String(from.storedAt)) || 0,
    summary: { ...newSummary(), ...summary },
  };
}

function macOf({ namespace, name, spec }: Named, text: string, key: Uint8Array): Buffer {
  const about = JSON.stringify([namespace, name, spec.keyDigest]);
  return createHmac('sha256', key).update(`slipway verdict v1\0${about}\0`).update(text).digest();
}
