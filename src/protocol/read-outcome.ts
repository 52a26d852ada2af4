/** Reads `outcome.json`. Any program of the machine may have damaged it. */

import type { Outcome } from './outcome.ts';
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
} from './validators.ts';

const isStep = hasShape({
  id: isText,
  title: isText,
  result: isOneOf('done', 'failed', 'not run'),
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
  // Empty if no sequence could begin.
  sequence: (value) => value === '' || isName(value),
  mode: isOneOf('bootstrap', 'shim'),
  agent: isText,
  startedAt: isText,
  endedAt: isText,
  seconds: isDuration,
});

/** Undefined if the bytes are no verdict; then the journal says how it went. */
export function parseOutcome(bytes: Uint8Array): Outcome | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isOutcome(value) ? (value as Outcome) : undefined;
  } catch {
    // The agent writes it atomically, so another program spoilt it.
    return undefined;
  }
}
