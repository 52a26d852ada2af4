import assert from 'node:assert/strict';
import { JOURNAL, OUTCOME, SENTINEL } from '../../src/agent/document/paths.ts';
import type { JournalRecord } from '../../src/protocol/journal.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import type { Machine } from '../lab/lab.ts';

/** The machine's verdict; fails when there is none. */
export async function outcomeOf(machine: Pick<Machine, 'read'>): Promise<Outcome> {
  return JSON.parse(await machine.read(OUTCOME));
}

/** Waits for the verdict as a person would: `slipway status --wait`. */
export async function waitForOutcome(machine: Machine, timeout = '10m'): Promise<Outcome> {
  await machine.exec(['slipway', 'status', '--wait', '--timeout', timeout]);
  return outcomeOf(machine);
}

export async function journalOf(machine: Pick<Machine, 'read'>): Promise<JournalRecord[]> {
  return recordsIn(await machine.read(JOURNAL));
}

function recordsIn(journal: string): JournalRecord[] {
  return journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The shell of the user data writes it once more behind kubeadm, and it is empty for a moment then. */
const READ_SENTINEL = `for _ in $(seq 100); do [ -e ${SENTINEL} ] && [ ! -s ${SENTINEL} ] || break; sleep 0.1; done; cat ${SENTINEL}`;

/**
 * What must hold whatever happened: the verdict, the sentinel and the journal agree, and nothing holds a secret. A journal
 * that cannot be read is an error: it may hold one.
 */
export async function expectTruth(
  machine: Pick<Machine, 'read' | 'exec' | 'logs'>,
  secrets: readonly string[],
): Promise<Outcome> {
  const outcome = await outcomeOf(machine);
  const proof = outcome.steps.find(({ id }) => id === 'sentinel' || id === 'node');
  const isKnown = outcome.findings.every(({ code }) => code !== 'NotKnownToMakeANode');
  const sentinel = await machine.exec(['sh', '-c', READ_SENTINEL]);
  if (proof?.result === 'done' && isKnown)
    assert.equal(sentinel.stdout, 'success\n', 'the sentinel of a node');
  else
    assert.notEqual(sentinel.code, 0, `there is a sentinel, and the step ${proof?.id} is "${proof?.result}"`);
  const journal = await machine.read(JOURNAL);
  recordsIn(journal).forEach((record, index, records) => {
    if (index > 0) assert.ok(record.seq > (records[index - 1]?.seq ?? 0), 'sequence numbers grow');
  });
  const logs = await machine.logs(undefined, { allBoots: true });
  const told = journal + JSON.stringify(outcome) + logs;
  for (const secret of secrets) assert.ok(!told.includes(secret), 'a secret was told');
  return outcome;
}

/** No user ever sees one. */
export function expectNoStackTrace(text: string): void {
  assert.doesNotMatch(text, /^\s+at .+:\d+:\d+\)?$/m, 'a stack trace was shown');
}
