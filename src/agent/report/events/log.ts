import { visible } from '../../../kit/terminal/visible.ts';
import { redact } from '../../../secrets/redact.ts';

/** Tells something to people who look at the node. */
export type Log = (message: string) => void;

/** Characters of a line. What a receiver answers is quoted in some. */
const MOST = 1000;

/**
 * A log that writes lines without secrets and without what a terminal would act upon, each as one line, and the same line
 * once if it comes several times in a row.
 */
export function createLog(write: (line: string) => void): Log {
  let last = '';
  return (message) => {
    const whole = visible(redact(message));
    const line = whole.length > MOST ? `${whole.slice(0, MOST - 1)}…` : whole;
    if (line !== last) write(line);
    last = line;
  };
}
