/** From an attempt found in a log to the shape that classification reads: the two streams that the log had mixed. */
import type { Attempt } from './attempts.ts';
import type { LogLine } from './line.ts';

export function streamsOf({ output, error }: Attempt): { stdout: string; stderr: string } {
  return { stdout: joined(output), stderr: joined(error) };
}

const joined = (lines: readonly LogLine[]): string => lines.map(({ text }) => text).join('\n');
