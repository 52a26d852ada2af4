/** kubeadm's request for cluster-info as all that there is of it. In its output it asks again and again until it is answered. */
import { isCertain } from '../transcript/certain.ts';
import type { LogLine } from '../transcript/line.ts';
import { OWN_REQUEST, PROGRESS, SUCCESS } from '../transcript/sentences.ts';
import type { Attempt } from './attempt.ts';
import { RETRIED } from './went-on.ts';

const OWN_OUTPUT = [PROGRESS, SUCCESS, RETRIED];

/** @param lines All of the log, since what was wrapped may have lost the prefix of what it goes on with */
export function loneRequest(lines: readonly LogLine[]): Attempt[] {
  const line = lines.findLast((one) => OWN_REQUEST.test(one.text) && isCertain(one));
  if (line === undefined || lines.some(({ text }) => OWN_OUTPUT.some((own) => own.test(text)))) return [];
  return [{ verb: undefined, result: 'failed', output: [], error: [line], first: line, last: line }];
}
