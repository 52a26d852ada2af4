import { ExpectedError } from '../../kit/errors.ts';

const HANDED = Symbol.for('slipway.timeLimit');
const CALL = 'globalThis[Symbol.for("slipway.timeLimit")]()';
/** The longest that Node.js takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** Synchronous work took longer than it was given. */
export class TimeLimitError extends ExpectedError {
  override readonly name = 'TimeLimitError';
}

/** Runs synchronous work. @throws TimeLimitError */
export type Limit = <T>(work: () => T) => T;

/** Gives work as long as it takes. */
export const unlimited: Limit = (work) => work();

/**
 * Gives synchronous work until `leftMs()` have passed. While it runs no timer fires and no signal is handled, so only the engine
 * of JavaScript can end it. What it was changing may be left half changed: use nothing of it.
 */
export function timeLimit(leftMs: () => number): Limit {
  return <T>(work: () => T): T => {
    const timeout = Math.min(Math.max(1, Math.ceil(leftMs())), LONGEST_MS);
    const handed = globalThis as { [HANDED]?: (() => unknown) | undefined };
    const outer = handed[HANDED];
    handed[HANDED] = work;
    try {
      return process.getBuiltinModule('node:vm').runInThisContext(CALL, { timeout }) as T;
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new TimeLimitError(`it took longer than ${timeout} ms`);
    } finally {
      handed[HANDED] = outer;
    }
  };
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
