import { redact } from '../../../kit/redact.ts';

/** Tells the people who look at the node; repeated lines are told once. */
export type Log = (message: string) => void;

/** A log that writes lines without secrets and leaves out what it has just said for the same subject. */
export function createLog(write: (line: string) => void): Log {
  let last = '';
  return (message) => {
    const line = redact(message);
    if (line !== last) write(line);
    last = line;
  };
}
