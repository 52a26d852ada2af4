/** One run of kubeadm in a log. */
import type { LogLine } from '../transcript/line.ts';

export type Verb = 'init' | 'join';

export interface Attempt {
  /** Undefined where nothing tells it. */
  verb: Verb | undefined;
  /** `unfinished`: neither an error nor success is told; the log was cut or kubeadm is still at work. */
  result: 'failed' | 'succeeded' | 'unfinished';
  /** Everything but the error: progress, hints, what other programs printed meanwhile. */
  output: LogLine[];
  /** klog's lines and the error; what kubeadm writes to standard error. */
  error: LogLine[];
  first: LogLine;
  last: LogLine;
}
