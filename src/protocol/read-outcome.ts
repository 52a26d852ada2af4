/** The reader of `outcome.json`. It lies where every program of the machine can be in the way. */
import {
  FINDING,
  hasShape,
  isCount,
  isDuration,
  isExitStatus,
  isFailure,
  isListOf,
  isName,
  isOneOf,
  isResult,
  isText,
  maybe,
} from './checks.ts';
import type { Outcome } from './outcome.ts';

const isStep = hasShape({
  id: isText,
  title: isText,
  result: isOneOf('done', 'failed', 'skipped', 'not run'),
  attempts: isCount,
  seconds: isDuration,
});

const isOutcome = hasShape({
  result: isResult,
  exitStatus: isExitStatus,
  message: isText,
  failure: maybe(isFailure),
  support: maybe(isText),
  step: maybe(isText),
  findings: isListOf(hasShape(FINDING)),
  steps: isListOf(isStep),
  instance: isText,
  boot: isName,
  // Empty where nothing could be begun.
  sequence: (value) => value === '' || isName(value),
  mode: isOneOf('bootstrap', 'shim'),
  agent: isText,
  startedAt: isText,
  endedAt: isText,
  seconds: isDuration,
});

/** Undefined where the bytes are no verdict; the journal tells then. */
export function parseOutcome(bytes: Uint8Array): Outcome | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isOutcome(value) ? (value as Outcome) : undefined;
  } catch {
    // It is written atomically, so this is another program's doing.
    return undefined;
  }
}
