import { failed } from '../../engine/failure.ts';
import type { StepResult } from '../../engine/step.ts';
import { StepError } from '../../tools/step-error.ts';

/** The work of a step that says in a few words what it did. What it could not do becomes the step's failure. */
export async function attempt(work: () => Promise<string>): Promise<StepResult> {
  try {
    return { done: true, message: await work() };
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return failed(error.code, error.message, error.more);
  }
}
