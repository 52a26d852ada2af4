/**
 * What happens to an error that nobody caught. It is told in one line, never as a stack trace: a fault of Slipway's own
 * is called one, what was to be expected has its own words. A run that is under way still comes to its verdict.
 */
import { brokenOutputMessage, fatalMessage } from '../../../kit/errors.ts';
import { visibleOutput } from '../../../kit/terminal/visible.ts';

let conclude: ((error: unknown) => void) | undefined;
let isUnprintedTold = false;

/** How long a run that has told its verdict may take to end what it had under way. */
const WIND_DOWN_MS = 10_000;

/** What to do with an uncaught error. */
function crash(error: NodeJS.ErrnoException): void {
  // Whoever read what is printed has gone (`slipway plan | head`): the rest goes unseen, the work goes on.
  if (error.code === 'EPIPE' && error.syscall === 'write') return;
  const full = brokenOutputMessage(error);
  if (!conclude) {
    tell(error, full);
    process.exit(1);
  }
  if (full !== undefined) {
    // A log on a full disk does not end a bootstrap. What tells of it may have the same fate.
    if (!isUnprintedTold) tell(error, `${full}; the work goes on`);
    isUnprintedTold = true;
    return;
  }
  conclude(error);
  setTimeout(() => process.exit(1), WIND_DOWN_MS).unref();
}

/** Runs a program of the agent's to its exit status; what nobody expected is told in one line. */
export function runToExitStatus(program: () => Promise<number>): void {
  process.on('uncaughtException', crash);
  process.once('beforeExit', refuseUnfinished);
  program().then(
    (status) => {
      process.off('beforeExit', refuseUnfinished);
      process.exitCode = status;
    },
    (error: unknown) => {
      process.off('beforeExit', refuseUnfinished);
      tell(error);
      process.exitCode = 1;
    },
  );
}

/** Node.js ends with 0 where nothing is left that could happen, also in the middle of something that waits for it. */
function refuseUnfinished(): void {
  tell(new Error('nothing is left that it could wait for, and it is not done'));
  process.exitCode = 1;
}

/**
 * From now on an uncaught error ends the run, which tells it as its verdict.
 *
 * @param stop aborts then, so that what is under way comes to an end
 * @returns rejects with the first uncaught error, so that a run can conclude with it
 */
export function catchUncaughtErrors(stop: AbortController): Promise<never> {
  const error = new Promise<never>((_resolve, reject) => {
    conclude = (fault) => {
      reject(fault);
      stop.abort();
    };
  });
  // It counts only for who waits for it.
  error.catch(() => undefined);
  return error;
}

function tell(error: unknown, words = fatalMessage(error)): void {
  process.stderr.write(`slipway: ${visibleOutput(words)}\n`);
}
