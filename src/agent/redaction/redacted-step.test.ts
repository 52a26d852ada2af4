import { expect, it } from 'vitest';
import { redact } from '../../secrets/redact.ts';
import { rememberSecrets } from '../../secrets/remembered.ts';
import type { StepContext, StepResult } from '../engine/step.ts';
import { redactedStep } from './redacted-step.ts';

const SECRET = 'hunter2-hunter2';
rememberSecrets([SECRET]);

async function tellAll(result: StepResult): Promise<string> {
  const told: unknown[] = [];
  const context = {
    progress: async (message: string) => void told.push(message),
    finding: async (finding: unknown) => void told.push(finding),
    output: (line: string) => void told.push(line),
  } as Partial<StepContext> as StepContext;
  const step = redactedStep(
    {
      ...{ id: 'a', title: 'a', digest: 'd' },
      async run({ progress, finding, output }) {
        await progress(`in progress ${SECRET}`);
        await finding({ severity: 'warning', code: 'CommandFailed', message: `found ${SECRET}` });
        output(`printed ${SECRET}`, 'stdout');
        return result;
      },
    },
    redact,
  );
  told.push(await step.run(context));
  return JSON.stringify(told);
}

it('tells nothing that is to be hidden, whatever way a step tells it', async () => {
  const failure = {
    code: 'CommandFailed' as const,
    cause: `It printed ${SECRET}.`,
    remedy: `Look at ${SECRET}.`,
    lines: [`echo ${SECRET}`],
  };
  for (const result of [
    { done: true, message: `done ${SECRET}` },
    { done: false, failure, retry: 'no' },
  ] satisfies StepResult[]) {
    const told = await tellAll(result);
    expect(told).not.toContain(SECRET);
    expect(told.match(/\[redacted\]/g)).toHaveLength(result.done ? 4 : 6);
  }
});
