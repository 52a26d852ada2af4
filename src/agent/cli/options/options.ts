import { resolve } from 'node:path';
import { parseSeconds } from '../../../kit/duration.ts';

/** A command line that cannot be used; its message is for the person who typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError */
export function durationOption(name: string, text: string): number {
  const seconds = parseSeconds(text);
  if (seconds === undefined || seconds < 1) {
    throw new UsageError(`--${name} ${text}: not a duration such as 90s, 15m or 1h30m`);
  }
  return seconds;
}

/** @throws UsageError */
export function formatOption(text: string): 'text' | 'json' {
  if (text !== 'text' && text !== 'json') throw new UsageError(`--output ${text}: give text or json`);
  return text;
}

/** Options of commands that look for user data, as paths that do not depend on the working directory. */
export function sourceOptions(options: { userData?: string; metaData?: string; root: string }) {
  return {
    root: resolve(options.root),
    ...(options.userData === undefined ? {} : { userDataFile: resolve(options.userData) }),
    ...(options.metaData === undefined ? {} : { metaDataFile: resolve(options.metaData) }),
  };
}

/** Runs a command; a usage error becomes a sentence and exit status 2. */
export async function withUsage(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`slipway: ${error.message}\n`);
    return 2;
  }
}
