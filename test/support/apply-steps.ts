import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { StepContext, StepResult } from '../../src/agent/engine/step.ts';
import { createLinuxHost } from '../../src/agent/host/linux/host.ts';
import { openShared } from '../../src/agent/steps/kind/shared.ts';
import { loadSteps } from '../../src/agent/steps/kind/step-kind.ts';
import { plan } from '../../src/agent/steps/plan.ts';
import { readUserData } from '../../src/agent/userdata/read-user-data.ts';

// node apply-steps.ts [--root DIR] [--interrupted] < user-data: applies every step of the user data, without engine and
// journal, and prints what each one answered. Runs inside a scratch root, so that the test itself touches no machine.

/** What this program prints, as JSON. */
export interface Applied {
  report: string[];
  steps: Record<
    string,
    { result: StepResult; findings: Pick<Parameters<StepContext['finding']>[0], 'code' | 'message'>[] }
  >;
}

if (import.meta.main) console.log(JSON.stringify(await applyAll()));

async function applyAll(): Promise<Applied> {
  const { values } = parseArgs({ options: { root: { type: 'string' }, interrupted: { type: 'boolean' } } });
  const host = createLinuxHost(values.root === undefined ? {} : { root: values.root });
  const document = await readUserData(readFileSync(0), {
    metaData: { 'instance-id': 'i-1' },
    source: 'test',
  });
  const shared = openShared(host, document, 'i-1', () => undefined);
  const applied: Applied = { report: document.report.map(({ message }) => message), steps: {} };
  for (const step of await loadSteps(plan(document), shared)) {
    const findings: Applied['steps'][string]['findings'] = [];
    const result = await step.run({
      host,
      attempt: 1,
      interrupted: values.interrupted === true,
      signal: new AbortController().signal,
      remainingMs: () => 600_000,
      progress: async () => undefined,
      finding: async ({ code, message }) => {
        findings.push({ code, message });
      },
      output: () => undefined,
    });
    applied.steps[step.id] = { result, findings };
  }
  return applied;
}
