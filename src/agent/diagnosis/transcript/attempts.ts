/**
 * Finds kubeadm's runs in a log: where each begins, how it ended, and which of its lines belong to the error. An attempt
 * is one stream's; in it, standard output, standard error and other programs may be mixed, so everything rests on
 * kubeadm's own standing sentences.
 */
import { certainAttempts } from './certain.ts';
import { beginsTrace, earlyError, errorAt, hasHint } from './error-lines.ts';
import type { LogLine } from './line.ts';
import {
  ADVICE,
  BEGIN,
  COMMAND,
  ERROR_FINDING,
  ETCD_JSON,
  FATAL_FINDINGS,
  FINDING,
  GAVE_UP,
  HINT,
  KLOG,
  KUBEADM_FRAME,
  OTHER_COMMAND,
  OTHERS,
  OWN_ERROR,
  PHASE_COMMAND,
  PHASE_ERROR,
  PLAIN_ERROR,
  PROGRESS,
  SUCCESS,
  UNHEALTHY,
  UNREACHED,
  UPGRADE_FINDING,
} from './sentences.ts';

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

const KLOG_KUBEADM =
  /\] (?:\[preflight\]|\[kubelet-start\]|\[discovery\]|validating the |detected and using CRI socket)/;
const OTHERS_ERROR =
  /^(?:error: )?error execution phase (?:preflight: (?:aborted reset operation|won't proceed; the user)|post-upgrade\b)/;
const INIT_ONLY =
  /^\[init\] Using Kubernetes version|^\[upload-config\]|^\[bootstrap-token\]|^\[addons\]|^Your Kubernetes/;
const JOIN_ONLY =
  /^\[preflight\] Reading configuration from the |^This node has joined|^\[discovery\]|^\[download-certs\]|perform the TLS Bootstrap|^\[check-etcd\]|couldn't validate the identity of the API Server/;
/** Phases that only `init` has; newer kubeadm waits for the control plane in `join` too. */
const INIT_PHASE =
  /^(?:error: )?error execution phase (?:certs|kubeconfig|etcd|control-plane|wait-control-plane|upload-config|upload-certs|mark-control-plane|bootstrap-token|kubelet-finalize|addon|show-join-command)[/:]/;
/** Neither `upgrade` nor `reset` has these phases, whatever stood before. */
const OURS_ALONE =
  /^(?:error: )?error execution phase (?:certs|kubeconfig|etcd(?:-join)?|wait-control-plane|upload-certs|mark-control-plane|kubelet-start|kubelet-wait-bootstrap|kubelet-finalize|control-plane-prepare|control-plane-join|check-etcd)[/:]|couldn't validate the identity of the API Server/;
/** Up to 1.18 it prints that, from then on only where it is verbose. */
const NOT_DISCOVERED = /^(?:[IWE]\d{4} .*?\] )?\[discovery\] (Failed to (?:request|connect) .*)/;
const KUBELET_CHECK = /^\s*\[kubelet-check\] /;
const OTHER_KIND = /^\[(?:reset|upgrade(?:\/[\w-]+)?)\] /;
/** Functions of `kubeadm upgrade`, `reset` and the commands that only show something. */
const OTHER_FRAME =
  /\/(?:upgrade|reset|alpha|certs|token)\b|[nN]ew(?:Cmd)?(?:Upgrade|Reset|Apply|Node|Token|Config)/;
const MAX_FRAMES = 60;
const FINDINGS_HEAD = 'error execution phase preflight: [preflight] Some fatal errors occurred:';
/** Shorter beginnings tell nothing. */
const SHORTEST = 24;
/** Lines that are remembered outside of any attempt, of which an early error may be made. */
const MAX_LOOSE = 64;

/** In the order in which they ended. Never throws. @param known What they do, where the log does not tell. */
export function findAttempts(lines: readonly LogLine[], known?: Verb): Attempt[] {
  const order = new Map(lines.map((line, index) => [line, index]));
  const commands = commandsIn(lines);
  const streams = new Map<string, LogLine[]>();
  for (const line of lines) {
    const same = streams.get(line.stream);
    if (same === undefined) streams.set(line.stream, [line]);
    else same.push(line);
  }
  const place = (line: LogLine): number => order.get(line) ?? 0;
  const found = [...streams.values()].flatMap((stream) => withoutCutRepetition(findInStream(stream)));
  const attempts = certainAttempts(found);
  for (const attempt of attempts) {
    const before = commands.findLast(({ index }) => index <= place(attempt.first) + 1);
    attempt.verb ??= before?.verb ?? (attempt.result === 'failed' ? initPhase(attempt) : undefined) ?? known;
  }
  return attempts.sort((a, b) => place(a.last) - place(b.last));
}

/** The text of an excerpt may end within an error that it has told in full before. */
function withoutCutRepetition(attempts: Attempt[]): Attempt[] {
  const last = attempts.at(-1);
  const said = textOf(last?.error ?? []);
  const isCut = (whole: string): boolean => whole.length > said.length && whole.startsWith(said);
  const isRepeated =
    last?.output.length === 0 &&
    said.length >= SHORTEST &&
    attempts
      .slice(0, -1)
      .some(({ error }) => isCut(textOf(error)) || (isCut(FINDINGS_HEAD) && error.some(isFinding)));
  return isRepeated ? attempts.slice(0, -1) : attempts;
}

const isFinding = ({ text }: LogLine): boolean => ERROR_FINDING.test(text);

const textOf = (lines: readonly LogLine[]): string => lines.map(({ text }) => text.trim()).join(' ');

const initPhase = ({ error }: Attempt): Verb | undefined =>
  error.some(({ text }) => INIT_PHASE.test(text)) ? 'init' : undefined;

/** Command lines that a shell echoes, or a person copied; kubeadm's own hints speak of other commands. */
function commandsIn(lines: readonly LogLine[]): { index: number; verb: Verb }[] {
  const found: { index: number; verb: Verb }[] = [];
  for (const [index, { text }] of lines.entries()) {
    const verb = (COMMAND.exec(text) ?? PHASE_COMMAND.exec(text))?.[1];
    if (verb !== 'init' && verb !== 'join') continue;
    if (KLOG.test(text) || PROGRESS.test(text) || /^\s+(?:sudo )?kubeadm join/.test(text)) continue;
    found.push({ index, verb });
  }
  return found;
}

function findInStream(lines: readonly LogLine[]): Attempt[] {
  const attempts: Attempt[] = [];
  let open: { attempt: Attempt; sawProgress: boolean } | undefined;
  let loose: LogLine[] = [];
  /** Within `kubeadm upgrade` or `reset`, until its end. */
  let isOther = false;
  const begin = (line: LogLine): Attempt => {
    const attempt: Attempt = {
      verb: undefined,
      result: 'unfinished',
      output: [],
      error: [],
      first: line,
      last: line,
    };
    attempts.push(attempt);
    return attempt;
  };
  const close = (): void => {
    open = undefined;
    loose = [];
  };

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    if (line === undefined) break;
    const { text } = line;
    if (OTHER_COMMAND.test(text) && !PROGRESS.test(text) && open === undefined) isOther = true;
    else if (COMMAND.test(text) && open === undefined) isOther = false;
    if (OTHER_KIND.test(text)) {
      // Both begin with the sentence that a join begins with; in the middle of one they are somebody else's.
      if (open !== undefined && !open.sawProgress && open.attempt.result === 'unfinished') {
        attempts.pop();
        close();
      }
      isOther = open === undefined && !/SUCCESS/.test(text);
      continue;
    }
    if (open === undefined && (isOther || OTHERS_ERROR.test(text))) {
      // Its error is passed over, and with that it is over.
      if (HINT.test(text) || OTHERS_ERROR.test(text)) isOther = false;
      if (
        !/^\[init\] Using|^\[preflight\] Reading configuration from the cluster/.test(text) &&
        !OURS_ALONE.test(text)
      ) {
        loose = [];
        continue;
      }
      isOther = false;
    }
    if (open === undefined && HINT.test(text)) {
      const early = earlyError(loose);
      if (early.length > 0) {
        const made = begin(early[0] ?? line);
        made.error.push(...early, line);
        made.last = line;
        made.result = 'failed';
      }
      close();
      continue;
    }
    const begins = BEGIN.test(text) && !(open !== undefined && !open.sawProgress);
    if (begins || (open === undefined && (opens(text) || opensTrace(lines, at))))
      open = { attempt: begin(line), sawProgress: false };
    if (open === undefined) {
      loose.push(line);
      if (loose.length > MAX_LOOSE) loose.shift();
      continue;
    }
    const { attempt } = open;
    if (OTHERS.test(text) && !ETCD_JSON.test(text)) continue;
    attempt.last = line;
    if (INIT_ONLY.test(text)) attempt.verb = 'init';
    else if (JOIN_ONLY.test(text)) attempt.verb = 'join';
    if (SUCCESS.test(text)) {
      attempt.result = 'succeeded';
      attempt.output.push(line);
      close();
    } else if (HINT.test(text)) {
      moveTail(attempt);
      attempt.error.push(line);
      attempt.result = 'failed';
      close();
    } else if (KLOG.test(text) || ETCD_JSON.test(text)) attempt.error.push(line);
    else if (isError(lines, at)) {
      const { end, members, continued } = errorAt(lines, at);
      // Verbose kubeadm gives the cause before what it caused.
      if (attempt.first === line && beginsTrace(lines, at)) attempt.error.push(...earlyError(loose));
      for (let index = at; index < end; index++) {
        const one = lines[index];
        if (one === undefined) continue;
        if (!members.has(index)) {
          if (PROGRESS.test(one.text)) attempt.output.push(one);
          continue;
        }
        const before = attempt.error.at(-1);
        if (continued.has(index) && before !== undefined) {
          attempt.error[attempt.error.length - 1] = { ...before, text: `${before.text} ${one.text.trim()}` };
        } else attempt.error.push(one);
        attempt.last = one;
      }
      attempt.result = 'failed';
      if (JOIN_ONLY.test(attempt.error.map((one) => one.text).join('\n'))) attempt.verb ??= 'join';
      at = end - 1;
      close();
    } else if (FINDING.test(text)) attempt.error.push(line);
    else {
      attempt.output.push(line);
      open.sawProgress ||= PROGRESS.test(text) && !BEGIN.test(text);
    }
  }
  for (const attempt of attempts) giveUp(attempt);
  return attempts.filter(
    ({ result, output, error }) =>
      !error.some(({ text }) => UPGRADE_FINDING.test(text)) &&
      (result !== 'unfinished' || output.some(({ text }) => PROGRESS.test(text))),
  );
}

const opens = (text: string): boolean =>
  PROGRESS.test(text) ||
  PHASE_ERROR.test(text) ||
  FATAL_FINDINGS.test(text) ||
  ERROR_FINDING.test(text) ||
  OWN_ERROR.test(text) ||
  GAVE_UP.test(text) ||
  UNHEALTHY.test(text) ||
  (KLOG.test(text) && KLOG_KUBEADM.test(text));

/** A message with a stack trace of kubeadm's own functions, whose end may be cut off. */
function opensTrace(lines: readonly LogLine[], at: number): boolean {
  if (!beginsTrace(lines, at)) return false;
  const frames = lines.slice(at + 1, at + MAX_FRAMES).filter(({ text }) => KUBEADM_FRAME.test(text));
  return frames.length > 0 && !frames.some(({ text }) => OTHER_FRAME.test(text));
}

function isError(lines: readonly LogLine[], at: number): boolean {
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

/** kubeadm has said on standard output that it gave up; its error was cut off. */
function giveUp(attempt: Attempt): void {
  if (attempt.result !== 'unfinished') return;
  const at = attempt.output.findIndex(({ text }) => GAVE_UP.test(text));
  const unhealthy = attempt.output.filter(({ text }) => UNHEALTHY.test(text));
  unhealthy.push(...unreached(attempt));
  if (at < 0 && unhealthy.length === 0) return;
  attempt.result = 'failed';
  attempt.error.push(...unhealthy);
  if (at < 0) return;
  const why = attempt.output[at + 1];
  if (why !== undefined && /\S/.test(why.text) && !/^\s*- /.test(why.text) && !ADVICE.test(why.text))
    attempt.error.push(why);
}

/**
 * The last that an excerpt tells is what kubeadm could not reach: the kubelet's port, or the API server. An output that has
 * its beginning may be that of a kubeadm that still waits, and says so again.
 */
function unreached({ output, error }: Attempt): LogLine[] {
  if (output.some(({ text }) => BEGIN.test(text))) return [];
  const progress = output.filter(({ text }) => PROGRESS.test(text));
  const asked = [...error, ...progress].findLast(({ text }) => NOT_DISCOVERED.test(text));
  const goesOn = progress.some(
    ({ number, text }) => number > (asked?.number ?? 0) && !/^\[discovery\]/.test(text),
  );
  if (asked !== undefined && !goesOn) return [{ ...asked, text: asked.text.replace(NOT_DISCOVERED, '$1') }];
  const last = progress.findLastIndex(({ text }) => UNREACHED.test(text));
  const line = progress[last];
  const later = progress.slice(last + 1).some(({ text }) => !KUBELET_CHECK.test(text));
  return line === undefined || later ? [] : [line];
}

/** An error without "error execution phase" inside an attempt: the last lines that are no progress. */
function moveTail(attempt: Attempt): void {
  const tail = earlyError(attempt.output);
  attempt.output = attempt.output.filter((line) => !tail.includes(line));
  attempt.error.push(...tail);
}
