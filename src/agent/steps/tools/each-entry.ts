import { errorMessage } from '../../../kit/errors.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import type { Position } from '../../document/document.ts';
import { codeOf, failed, failure } from '../../engine/failure.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { StepError } from '../../tools/step-error.ts';

/**
 * Does `work` for each entry in turn. As in cloud-init, a failed entry does not stop the others. The step
 * then fails with the first problem that may pass by itself, else with the first. The answers of `work` (what
 * it did, in a few words) make the step's message.
 */
export async function eachEntry<Entry>(
  entries: readonly Entry[],
  { signal, remainingMs }: Pick<StepContext, 'signal' | 'remainingMs'>,
  work: (entry: Entry) => Promise<string>,
): Promise<StepResult> {
  const done: string[] = [];
  const problems: StepError[] = [];
  for (const entry of entries) {
    if (signal.aborted) break;
    try {
      done.push(await work(entry));
    } catch (error) {
      problems.push(
        error instanceof StepError
          ? error
          : new StepError(codeOf(error, 'FileNotWritten'), errorMessage(error)),
      );
    }
  }
  if (signal.aborted) return stopped(remainingMs() <= 0);
  const first = problems.find(({ code }) => codes()[code].persistence !== 'permanent') ?? problems[0];
  if (!first) return { done: true, message: done.join('; ') };
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more of its entries failed)` : '';
  return failed(first.code, `${first.message.replace(/[.]$/, '')}${others}`, first.more);
}

/** `retry: yes`, for the rest is still to be done; whether there is time for it the engine knows. */
function stopped(outOfTime: boolean): StepResult {
  return {
    done: false,
    failure: outOfTime
      ? failure('DeadlineExceeded', 'The deadline passed before all entries of the step were done')
      : failure('Interrupted', 'The step was told to stop before all of its entries were done'),
    retry: 'yes',
  };
}

/** `line:column` of an entry, for a finding. */
export function place(where: Position | undefined): { where?: string } {
  return where ? { where: `${where.line}:${where.column}` } : {};
}

/** The work of a step that says in a few words what it did. What it could not do becomes the step's failure. */
export async function attempt(work: () => Promise<string>): Promise<StepResult> {
  try {
    return { done: true, message: await work() };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return failed(error.code, error.message, error.more);
  }
}
