import { LabError } from './command.ts';

/**
 * Ask until the answer is not false, undefined or null; returns that answer. Questions are 100 ms apart.
 * @throws LabError after `timeoutMs`, naming `what` was waited for
 */
export async function waitFor<T>(
  question: () => Promise<T>,
  options: { timeoutMs: number; what: string; everyMs?: number },
): Promise<Exclude<T, false | undefined | null>> {
  const deadline = Date.now() + options.timeoutMs;
  for (;;) {
    const answer = await question();
    if (answer !== false && answer !== undefined && answer !== null) {
      return answer as Exclude<T, false | undefined | null>;
    }
    if (Date.now() > deadline)
      throw new LabError(`waited ${options.timeoutMs / 1000} s in vain for ${options.what}`);
    await new Promise((resolve) => setTimeout(resolve, options.everyMs ?? 100));
  }
}
