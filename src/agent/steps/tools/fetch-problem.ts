import { FetchError } from '../../fetch/fetch.ts';
import { StepError } from '../../tools/step-error.ts';

/** What to throw where something was to be fetched: a problem that says what was not done for it. */
export function fetchProblem(error: unknown, notDone: string): unknown {
  if (!(error instanceof FetchError)) return error;
  const code = error.refused ? 'ResourceRefused' : 'ResourceNotFetched';
  return new StepError(code, `${notDone}: ${error.message}`);
}
