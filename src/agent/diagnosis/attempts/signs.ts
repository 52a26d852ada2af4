/** The lines with which an attempt, and its error, begin. */
import { beginsTrace, hasHint } from '../transcript/error-lines.ts';
import type { LogLine } from '../transcript/line.ts';
import {
  ERROR_FINDING,
  FATAL_FINDINGS,
  GAVE_UP,
  KLOG,
  KUBEADM_FRAME,
  NO_MEMBER,
  OWN_ERROR,
  PHASE_ERROR,
  PLAIN_ERROR,
  PROGRESS,
  UNHEALTHY,
} from '../transcript/sentences.ts';

const KLOG_KUBEADM =
  /\] (?:\[preflight\]|\[kubelet-start\]|\[discovery\]|\[etcd\] (?:Promoting (?:a|the) learner|Adding etcd member)|validating the |detected and using CRI socket)/;
/** Functions of `kubeadm upgrade`, `reset` and the commands that only show something. */
const OTHER_FRAME =
  /\/(?:upgrade|reset|alpha|certs|token)\b|[nN]ew(?:Cmd)?(?:Upgrade|Reset|Apply|Node|Token|Config)/;
const MAX_FRAMES = 60;

/** Does an attempt begin with this line, where none is open? */
export const opens = (text: string): boolean =>
  PROGRESS.test(text) ||
  PHASE_ERROR.test(text) ||
  FATAL_FINDINGS.test(text) ||
  ERROR_FINDING.test(text) ||
  OWN_ERROR.test(text) ||
  GAVE_UP.test(text) ||
  UNHEALTHY.test(text) ||
  NO_MEMBER.test(text) ||
  (KLOG.test(text) && KLOG_KUBEADM.test(text));

/** A message with a stack trace of kubeadm's own functions, whose end may be cut off. */
export function opensTrace(lines: readonly LogLine[], at: number): boolean {
  if (!beginsTrace(lines, at)) return false;
  const frames = lines.slice(at + 1, at + MAX_FRAMES).filter(({ text }) => KUBEADM_FRAME.test(text));
  return frames.length > 0 && !frames.some(({ text }) => OTHER_FRAME.test(text));
}

/** Does kubeadm's error begin here? */
export function isError(lines: readonly LogLine[], at: number): boolean {
  const text = lines[at]?.text ?? '';
  return (
    PHASE_ERROR.test(text) ||
    FATAL_FINDINGS.test(text) ||
    ERROR_FINDING.test(text) ||
    OWN_ERROR.test(text) ||
    (PLAIN_ERROR.test(text) && hasHint(lines, at)) ||
    beginsTrace(lines, at)
  );
}
