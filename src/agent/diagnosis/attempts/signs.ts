/** The lines with which an attempt, and its error, begin. */
import { beginsTrace, hasHint } from '../transcript/error-lines.ts';
import type { LogLine } from '../transcript/line.ts';
import {
  ERROR_FINDING,
  EXPLAINS,
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

/** Another program before what it advises itself. */
const NAMES_ITSELF = /^(?!kubeadm|error)[a-z][\w.-]*: /;
const NEAR_LINES = 12;
/** What opens a block stands between, and the line above it. */
const NEAR_FINDING = 3;

/** Is a finding, or the advice that kubeadm gives, only explained there, or another program's? */
export function isSpokenOf(lines: readonly LogLine[], at: number): boolean {
  if (ERROR_FINDING.test(lines[at]?.text ?? ''))
    return lines.slice(Math.max(0, at - NEAR_FINDING), at).some(({ text }) => EXPLAINS.test(text));
  if (!GAVE_UP.test(lines[at]?.text ?? '')) return false;
  const before = lines.slice(Math.max(0, at - NEAR_LINES), at).map(({ text }) => text);
  return NAMES_ITSELF.test(before.at(-1) ?? '') || before.some((text) => EXPLAINS.test(text));
}

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
