/** Reads one record of the journal and checks it: a disk may return other bytes than were written. */

import { JOURNAL_VERSION, type JournalRecord, type RecordBody } from './journal.ts';
import {
  FINDING,
  hasShape,
  isCount,
  isDuration,
  isExitStatus,
  isFailure,
  isFlag,
  isListOf,
  isName,
  isOneOf,
  isResult,
  isText,
  isTime,
  maybe,
  type Shape,
} from './validators.ts';

const isHead = hasShape({
  v: isOneOf(JOURNAL_VERSION),
  seq: isCount,
  time: isTime,
  mono: isDuration,
  boot: isName,
  type: isName,
});

const isTextOrNull = (value: unknown): boolean => value === null || maybe(isText)(value);

const BODIES: Readonly<Record<RecordBody['type'], Shape>> = {
  'run.started': {
    run: isName,
    instance: isText,
    mode: isOneOf('bootstrap', 'shim'),
    agent: isText,
    pid: isCount,
    uptimeMs: maybe(isDuration),
  },
  'sequence.started': {
    run: isName,
    sequence: isName,
    digest: isText,
    steps: isListOf(hasShape({ id: isText, title: isText, digest: isText })),
    deadlineSeconds: isDuration,
    resumed: isFlag,
    ranBefore: maybe(isCount),
  },
  'step.started': { step: isText, digest: isText, attempt: isCount },
  'step.progress': { step: isText, message: isText, fromOutput: maybe(isFlag) },
  heartbeat: { step: isText },
  'step.ended': {
    step: isText,
    digest: isText,
    attempt: isCount,
    result: isOneOf('done', 'failed'),
    ms: isDuration,
    message: maybe(isText),
    failure: maybe(isFailure),
    retryInMs: maybe(isDuration),
  },
  finding: FINDING,
  'sequence.ended': {
    run: isName,
    sequence: isName,
    result: isResult,
    exitStatus: isExitStatus,
    ms: isDuration,
    failure: maybe(isFailure),
    failedStep: maybe(isText),
    isNodeUnknown: maybe(isFlag),
    noted: maybe(hasShape({ machine: maybe(isText), uuid: maybe(isText), seed: isTextOrNull })),
  },
  'node.reset': { run: isName, scope: maybe(isOneOf('node')) },
  'journal.repaired': { bytes: isCount },
};

const CHECKS = new Map(Object.entries(BODIES).map(([type, shape]) => [type, hasShape(shape)]));

/** Undefined if it is no record of this version. Of unknown types (a newer agent's), it checks only the head. */
export function readRecord(value: unknown): JournalRecord | undefined {
  if (!isHead(value)) return undefined;
  const record = value as JournalRecord;
  return (CHECKS.get(record.type)?.(record) ?? true) ? record : undefined;
}
