/** The verdict on a few lines, for tests of what people cut out of their logs. */
import { diagnoseLog, type LogVerdict } from '../../../src/agent/diagnosis/diagnose-log.ts';
import { readLines } from '../../../src/agent/diagnosis/transcript/read-lines.ts';

export const HINT = 'To see the stack trace of this error execute with --v=5 or higher';

export const verdict = (...lines: string[]): LogVerdict => diagnoseLog(readLines('log', lines.join('\n')));

/** The code of the failure, or the result where there is none. */
export function code(...lines: string[]): string {
  const { failure, result } = verdict(...lines);
  return failure?.code ?? result;
}
