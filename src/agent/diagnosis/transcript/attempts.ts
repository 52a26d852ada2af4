/**
 * Finds kubeadm's runs in a log: where each begins, how it ended, and which of its lines belong to the error. A log
 * mixes both streams and what other programs printed, so everything rests on kubeadm's own standing sentences.
 */
import type { LogLine } from './line.ts';

export interface Attempt {
  verb: 'init' | 'join';
  /** `unfinished`: neither an error nor success is told; the log was cut or kubeadm is still at work. */
  result: 'failed' | 'succeeded' | 'unfinished';
  /** Everything but the error: progress, hints, what other programs printed meanwhile. */
  output: LogLine[];
  /** klog's lines and the error; what kubeadm writes to standard error. */
  error: LogLine[];
  first: LogLine;
  last: LogLine;
}

const BEGIN = /^\[preflight\] Running pre-flight checks|^\[init\] Using Kubernetes version: /;
const PROGRESS =
  /^\[(?:init|preflight|certs|kubeconfig|kubelet(?:-\w+)*|control-plane(?:-\w+)*|etcd|wait-control-plane|apiclient|upload-config|upload-certs|mark-control-plane|bootstrap-token|addons|discovery|download-certs|check-etcd|patches|api-check|kubelet-check|patchnode|endpoint)\] /;
const COMMAND = /(?:^|[\s"'&;|/])kubeadm["']?(?:,? ?["']?)(init|join)\b(?! phase)/;
const PHASE_COMMAND = /(?:^|[\s"'&;|/])kubeadm (init|join) phase /;
const SUCCESS =
  /^Your Kubernetes (?:control-plane|master) has initialized successfully!|^This node has joined the cluster(?:[: ]|$)/;
const END = /^To see the stack trace of this error execute with --v=5 or higher/;
const ERROR =
  /^(?:error: )?error execution phase \S+|^\[preflight\] Some fatal errors occurred:|^\s*\[ERROR [\w./-]+\]: /;
const FINDING = /^\s*\[(?:ERROR|WARNING) [\w./-]+\]: /;
const KLOG = /^[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [\w.-]+:\d+\] /;
const KLOG_KUBEADM =
  /\] (?:\[preflight\]|\[kubelet-start\]|\[discovery\]|validating the |detected and using CRI socket)/;
const FRAME_FILE = /^\s+\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$/;
/** kubeadm's standing advice on standard output, which repeats the error before the error comes. */
const HINTS =
  /^(?:Unfortunately, an error has|This error is likely|If you are on a systemd|Additionally, a control plane|A control plane component may|Here is one example|To troubleshoot, list|Once you have found)/;
/** No message begins like this: indented lines and that advice. */
const STANDING = new RegExp(`^\\s|^$|${HINTS.source}`);
const RESET_REFUSED =
  /^(?:error: )?error execution phase preflight: (?:aborted reset operation|won't proceed; the user)/;
const INIT_ONLY =
  /^\[init\] Using Kubernetes version|^\[wait-control-plane\]|^\[upload-config\]|^\[bootstrap-token\]|^\[addons\]|^Your Kubernetes/;
const JOIN_ONLY =
  /^\[preflight\] Reading configuration from the |^This node has joined|^\[discovery\]|^\[download-certs\]|perform the TLS Bootstrap|^\[check-etcd\]/;
/** Phases that only `init` has; newer kubeadm waits for the control plane in `join` too. */
const INIT_PHASE =
  /^(?:error: )?error execution phase (?:certs|kubeconfig|etcd|control-plane|wait-control-plane|upload-config|upload-certs|mark-control-plane|bootstrap-token|kubelet-finalize|addon|show-join-command)[/:]/;
/** Log lines of the etcd client within kubeadm. */
const ETCD_CLIENT = /^\{"level":"/;
/** An error before the first phase (command line, configuration) is this many lines at most. */
const MAX_EARLY = 8;
const MAX_ERROR = 1_000;
/** So many lines may stand between two frames of one error's stack traces: the messages of the wrapping errors. */
const MAX_GAP = 40;
/** Lines that a shell, cloud-init or kubeadm itself prints just before such an error and that do not belong to it. */
const NOT_ERROR =
  /^Cloud-init v|^\+ |^ci-info|^#|\$ (?:sudo )?kubeadm|# (?:sudo )?kubeadm|^(?:WARNING: )?kubeadm cannot validate|^Usage:|^\S+:~/;
/** kubeadm refuses before it does anything, and newer versions say so with this word. */
const PLAIN_ERROR = /^error: \S/;

interface Open {
  attempt: Attempt;
  /** Index of the error's last line, once it has begun; until then every unknown line belongs to it. */
  errorUntil?: number;
  sawProgress: boolean;
}

/** In the order of the log. Never throws. @param known What they do, where the log does not tell. */
export function findAttempts(lines: readonly LogLine[], known?: 'init' | 'join'): Attempt[] {
  const attempts: Attempt[] = [];
  let verb = known;
  let open: Open | undefined;
  /** Lines outside of any attempt, of which an early error may be made. */
  let loose: LogLine[] = [];
  const begin = (line: LogLine): Open => {
    const attempt: Attempt = {
      verb: verb ?? 'join',
      result: 'unfinished',
      output: [],
      error: [],
      first: line,
      last: line,
    };
    attempts.push(attempt);
    return { attempt, sawProgress: false };
  };
  const close = (): void => {
    open = undefined;
    loose = [];
  };

  for (const [index, line] of lines.entries()) {
    const { text } = line;
    const command = COMMAND.exec(text)?.[1] ?? PHASE_COMMAND.exec(text)?.[1];
    if (command === 'init' || command === 'join') {
      // A command line that a shell echoes; kubeadm's own hints speak of other commands.
      if (!KLOG.test(text) && !PROGRESS.test(text) && !/^\s+(?:sudo )?kubeadm join/.test(text))
        verb = command;
    }
    // Of kubeadm reset, when nobody said yes.
    if (open === undefined && RESET_REFUSED.test(text)) {
      loose = [];
      continue;
    }
    if (open === undefined && END.test(text)) {
      const early = earlyError(loose);
      if (early.length > 0) {
        const made = begin(early[0] ?? line);
        made.attempt.error.push(...early, line);
        made.attempt.last = line;
        made.attempt.result = 'failed';
      }
      close();
      continue;
    }
    if (open?.errorUntil !== undefined && index > open.errorUntil) close();
    const begins = BEGIN.test(text) && !(open && !open.sawProgress && open.errorUntil === undefined);
    if (begins || (open === undefined && opens(text))) open = begin(line);
    if (open === undefined) {
      if (/^##### std(?:out|err)$/.test(text)) continue;
      loose.push(line);
      if (loose.length > 64) loose.shift();
      continue;
    }
    const { attempt } = open;
    // kubeadm reset begins with the same sentence.
    if (text.startsWith('[reset] ')) {
      if (attempt.result === 'unfinished') attempts.pop();
      close();
      continue;
    }
    attempt.last = line;
    if (INIT_ONLY.test(text)) attempt.verb = 'init';
    else if (JOIN_ONLY.test(text)) attempt.verb = 'join';
    else if (verb === undefined && INIT_PHASE.test(text)) attempt.verb = 'init';
    if (SUCCESS.test(text)) {
      attempt.result = 'succeeded';
      attempt.output.push(line);
      close();
    } else if (END.test(text)) {
      if (open.errorUntil === undefined) moveTail(attempt);
      attempt.error.push(line);
      attempt.result = 'failed';
      close();
    } else if (KLOG.test(text) || ETCD_CLIENT.test(text)) attempt.error.push(line);
    else if (open.errorUntil !== undefined) attempt.error.push(line);
    else if (
      ERROR.test(text) ||
      (PLAIN_ERROR.test(text) && hasHint(lines, index)) ||
      beginsTrace(lines, index)
    ) {
      open.errorUntil = endOfError(lines, index);
      attempt.result = 'failed';
      attempt.error.push(line);
    } else if (FINDING.test(text)) attempt.error.push(line);
    else if (!/^##### std(?:out|err)$/.test(text)) {
      attempt.output.push(line);
      open.sawProgress ||= PROGRESS.test(text) && !BEGIN.test(text);
    }
  }
  return attempts.filter(
    ({ result, output }) => result !== 'unfinished' || output.some(({ text }) => PROGRESS.test(text)),
  );
}

function opens(text: string): boolean {
  return PROGRESS.test(text) || ERROR.test(text) || (KLOG.test(text) && KLOG_KUBEADM.test(text));
}

/** Other programs begin their errors like that too; kubeadm's hint follows soon. */
function hasHint(lines: readonly LogLine[], index: number): boolean {
  const ahead = lines.slice(index + 1, index + MAX_GAP);
  const next = ahead.findIndex(({ text }) => BEGIN.test(text));
  return (next < 0 ? ahead : ahead.slice(0, next)).some(({ text }) => END.test(text));
}

/** A message whose stack trace follows: a function's name, then its file on an indented line. */
function beginsTrace(lines: readonly LogLine[], index: number): boolean {
  const text = lines[index]?.text ?? '';
  if (STANDING.test(text) || PROGRESS.test(text)) return false;
  const after = lines.slice(index + 1, index + 12);
  const file = after.findIndex(({ text }) => FRAME_FILE.test(text));
  if (file < 1) return false;
  return after
    .slice(0, file - 1)
    .every((one) => !KLOG.test(one.text) && !PROGRESS.test(one.text) && !HINTS.test(one.text));
}

/** Index of the line that ends the error begun at `index`, by kubeadm's hint, the stack trace, or the indentation. */
function endOfError(lines: readonly LogLine[], index: number): number {
  const ahead = lines.slice(index, index + MAX_ERROR);
  const next = ahead.findIndex(({ text }, i) => i > 0 && BEGIN.test(text));
  const within = next < 0 ? ahead : ahead.slice(0, next);
  const hint = within.findIndex(({ text }) => END.test(text));
  if (hint >= 0) return index + hint;
  let last = 0;
  for (const [i, { text }] of within.entries()) {
    if (i - last > MAX_GAP) break;
    if (FRAME_FILE.test(text)) last = i;
  }
  if (last > 0) return index + last;
  if (/:\s*$/.test(within[0]?.text ?? '')) {
    const foreign = within.findIndex(({ text }) => NOT_ERROR.test(text) || KLOG.test(text));
    return index + Math.min(foreign < 0 ? within.length : foreign, MAX_EARLY * 2) - 1;
  }
  const other = within.findIndex(
    ({ text }, i) => i > 0 && !/^(?:\s|,|time=|\[preflight\] If you know|$)/.test(text),
  );
  return index + (other < 0 ? within.length : other) - 1;
}

/** The lines right before the hint at the stack trace. */
function earlyError(loose: readonly LogLine[]): LogLine[] {
  const found: LogLine[] = [];
  for (const line of [...loose].reverse()) {
    if (NOT_ERROR.test(line.text) || found.length >= MAX_EARLY) break;
    if (line.text.trim() === '') {
      if (found.length > 0) break;
      continue;
    }
    if (!KLOG.test(line.text)) found.unshift(line);
  }
  return found;
}

/** An error without "error execution phase" inside an attempt: the last lines that are no progress. */
function moveTail(attempt: Attempt): void {
  const tail = earlyError(attempt.output.slice(-64)).filter(
    ({ text }) =>
      !PROGRESS.test(text) &&
      !/^\s/.test(text) &&
      !/^(?:This|Unfortunately|If you|Additionally|Here)/.test(text),
  );
  attempt.output = attempt.output.filter((line) => !tail.includes(line));
  attempt.error.push(...tail);
}
