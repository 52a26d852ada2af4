import { redact } from '../../../kit/secrets/redact.ts';

/** Tells something to people who look at the node. */
export type Log = (message: string) => void;

/** A log that writes lines without secrets, and the same line once if it comes several times in a row. */
export function createLog(write: (line: string) => void): Log {
  let last = '';
  return (message) => {
    const line = redact(message);
    if (line !== last) write(line);
    last = line;
  };
}
