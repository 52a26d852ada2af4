import assert from 'node:assert/strict';
import type { Machine } from '../lab/lab.ts';
import { expectTruth, journalOf } from '../support/expect-outcome.ts';
import type { Expectation } from './case-file.ts';

/** The verdict of a machine is as expected, and true: journal and sentinel agree with it, and no secret was told. */
export async function expectVerdict(
  machine: Machine,
  wanted: Expectation,
  secrets: readonly string[],
): Promise<void> {
  const outcome = await expectTruth(machine, secrets);
  const told = JSON.stringify(outcome, undefined, 2);
  const { failure, findings, steps } = outcome;
  const same = (actual: unknown, expected: unknown): void => {
    if (expected !== undefined) assert.deepEqual(actual, expected, told);
  };
  same(outcome.result, wanted.result);
  same(outcome.exitStatus, wanted.status);
  same(outcome.mode, wanted.mode);
  same(outcome.step, wanted.step);
  same(outcome.support, wanted.support);
  same(
    findings.map(({ code }) => code),
    wanted.findings,
  );
  same(
    steps.map(({ id }) => id),
    wanted.order,
  );
  if (wanted.code !== undefined) assert.match(failure?.code ?? '', new RegExp(`^(?:${wanted.code})$`), told);
  if (wanted.cause !== undefined) assert.match(failure?.cause ?? '', new RegExp(wanted.cause), told);
  if (wanted.message !== undefined) assert.match(outcome.message, new RegExp(wanted.message), told);
  if (failure) assert.ok(failure.remedy.length > 10, `a remedy: ${told}`);
  for (const code of wanted.finds ?? [])
    assert.ok(
      findings.some((finding) => finding.code === code),
      told,
    );
  for (const [id, result] of Object.entries(wanted.steps ?? {})) {
    const found = id === 'all' ? steps : steps.filter((step) => step.id === id);
    assert.ok(found.length > 0, `step ${id}: ${told}`);
    for (const step of found) assert.equal(step.result, result, `step ${step.id}: ${told}`);
  }
  if (wanted.journal) {
    const progress = (await journalOf(machine)).flatMap((record) =>
      record.type === 'step.progress' ? [record.message] : [],
    );
    for (const text of wanted.journal)
      assert.ok(
        progress.some((message) => new RegExp(text).test(message)),
        `the journal tells "${text}" nowhere:\n${progress.join('\n')}`,
      );
  }
}

/** Every field that is wanted is there; what is no object, lists too, is the same. */
export function expectPart(actual: unknown, wanted: unknown, told: string): void {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) {
    assert.deepEqual(actual, wanted, told);
    return;
  }
  assert.ok(typeof actual === 'object' && actual !== null, told);
  for (const [key, value] of Object.entries(wanted))
    expectPart((actual as Record<string, unknown>)[key], value, told);
}
