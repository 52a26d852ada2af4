/**
 * Says what a log tells of kubeadm: the last attempt's end is the verdict, the earlier ones are listed. A log without an
 * error of kubeadm gets no code, whatever else may stand in it.
 */
import { codes } from '../../protocol/codes/codes.ts';
import type { Attempt, Verb } from './attempts/attempt.ts';
import { findAttempts } from './attempts/find-attempts.ts';
import { countKubeletEnds, explainKubeletEnd } from './causes/explain-kubelet.ts';
import { cloudInitFailure, failedScript } from './cloud-init-said.ts';
import { diagnose, refined } from './diagnose.ts';
import type { Evidence } from './evidence/evidence.ts';
import { evidenceInLog } from './evidence/from-log.ts';
import { likelyCause } from './likely.ts';
import { bareFailure, EXCERPT, failureOfNode } from './lone-node.ts';
import { tellingLines } from './telling-lines.ts';
import { isHearsay } from './transcript/certain.ts';
import type { LogLine } from './transcript/line.ts';
import { BEGIN, COMMAND, ERROR_FINDING, FINDING, KLOG, PROGRESS, SUCCESS } from './transcript/sentences.ts';
import { classify, type KubeadmEnd, type KubeadmFailure } from './words/classify.ts';

export interface LogVerdict {
  /** `nothing`: kubeadm is not in this log. `unfinished`: it is, but the log ends before its end. */
  result: 'failed' | 'succeeded' | 'unfinished' | 'nothing';
  failure?: KubeadmFailure;
  /** Of an unfinished one: what it most likely fails of, by what it tries again. Of nothing: what may have kept kubeadm away. */
  likely?: KubeadmFailure;
  /** The lines that the verdict rests on, or with which an unfinished log ends; not redacted. */
  telling: LogLine[];
  attempts: AttemptVerdict[];
  /** Where the result is `nothing`: the programs of a node that wrote this log. */
  others?: string[];
}

export interface AttemptVerdict {
  /** Undefined where the log does not tell. */
  verb: Verb | undefined;
  result: Attempt['result'];
  first: LogLine;
  last: LogLine;
  failure?: KubeadmFailure;
}

const KILLED = /(?:^|[ :])(Killed|Terminated)\b(?=$|.*kubeadm)/;
const STATUS = /^exit status (124|137|143)$/;
const NO_KUBEADM =
  /^(?!.*[`'"]kubeadm: )(?:.*[ :])?kubeadm: (?:command )?not found(?:\W*$|(?=.*\brc\b))|exec: "?kubeadm"?: executable file not found/;
/** A shell or a script of one says so; others, such as tee, could not write it. */
const NOT_EXECUTABLE =
  /^(?:(?:-?\w*sh|\/\S+): (?:line )?(?:\d+: )?)?(\/\S*\/kubeadm|kubeadm): Permission denied$/;
/** While kubeadm still waits, a kubelet that has ended so often will not come up any more. */
const ENOUGH = 3;
/** kubeadm itself found nobody at the kubelet's port. */
const IS_DOWN = /healthz' (?:failed with|returned) error: .*connection refused/;

/** Of more attempts only the newest are looked at beyond their own place in the log. */
const MANY = 100;
/** Lines behind an attempt among which a shell tells that it was ended. */
const NEAR = 200;

const NOTHING: LogVerdict = { result: 'nothing', telling: [], attempts: [] };

/** What is known of the last attempt besides the log. */
interface LogSight {
  /** What it does, where the log does not tell. */
  verb?: Verb | undefined;
  /** Given where kubeadm is known to have ended, and not well. */
  end?: { exitStatus: number };
}

export function diagnoseLog(lines: readonly LogLine[], sight: LogSight = {}): LogVerdict {
  const found = findAttempts(lines, sight.verb);
  if (found.length === 0) return withoutAttempt(lines);
  const node = found.every(isHearsay) ? failureOfNode(lines) : undefined;
  if (node !== undefined) return lone(node, lines);
  const place = new Map(lines.map((line, index) => [line, index]));
  const attempts = found.map((attempt, index) => {
    const before = found[index - 1];
    const behind = found[index + 1];
    const evidence = evidenceInLog(lines, {
      first: attempt.first,
      place: place.get(attempt.first) ?? 0,
      isNarrow: found.length - index > MANY,
      after: before === undefined ? -1 : (place.get(before.last) ?? -1),
      before: behind === undefined ? lines.length : (place.get(behind.first) ?? lines.length),
      own: [...attempt.output, ...attempt.error],
    });
    return {
      attempt,
      evidence,
      verdict: judge(
        attempt,
        evidence,
        lines.slice((place.get(attempt.last) ?? 0) + 1, (place.get(attempt.last) ?? 0) + NEAR),
        behind === undefined ? sight.end : undefined,
      ),
    };
  });
  const [before, retry] = attempts.slice(-2);
  if (before !== undefined && retry !== undefined && isCutRetry(before, retry)) attempts.pop();
  else if (attempts.slice(0, -1).some((one) => isToldAgain(one, retry))) attempts.pop();
  const summaries = attempts.map(({ verdict }) => verdict);
  const last = attempts.at(-1);
  if (last === undefined) return withoutAttempt(lines);
  const { failure, result } = last.verdict;
  const besides = result === 'unfinished' && attempts.length === 1 ? besideFirstLine(last, lines) : undefined;
  if (besides !== undefined) return besides;
  if (result === 'failed' && failure !== undefined) {
    return { result, failure, telling: tellingLines(last.attempt, failure, lines), attempts: summaries };
  }
  if (result !== 'unfinished') return { result, telling: [], attempts: summaries };
  const likely = likelyCause(last.attempt, last.evidence);
  const telling = endOf(last.attempt);
  return { result, ...(likely === undefined ? {} : { likely }), telling, attempts: summaries };
}

interface Judged {
  attempt: Attempt;
  evidence: Evidence;
  verdict: AttemptVerdict;
}

const isWarning = (text: string): boolean => FINDING.test(text) && !ERROR_FINDING.test(text);

/** The phases in which a join looks at etcd and becomes a node, and the steps before them. */
const LATE_PHASE = /^(?:check-etcd|kubelet-start|kubelet-wait-bootstrap|etcd-join|control-plane-join)/;
const EARLY_STEP = /^\[(?:preflight|download-certs|certs|kubeconfig|control-plane)\] /;

/** The log ends before kubeadm, called again, has got as far as the failure before it. */
function isCutRetry(before: Judged, retry: Judged): boolean {
  const known = new Set(before.attempt.output.map(({ text }) => text));
  // The last line may be cut off, too.
  const cut = retry.attempt.output.findLast(({ text }) => text.trim() !== '')?.text ?? '';
  if (cut !== '' && [...known].some((line) => line.startsWith(cut))) known.add(cut);
  const begins = ({ attempt }: Judged): boolean => attempt.output.some(({ text }) => BEGIN.test(text));
  // Of the one before only the end is there, of a phase that comes later; of both, where its steps are quoted again.
  const isEnd = !begins(before);
  const isLater = isEnd && begins(retry) && isBeyondChecks(before);
  const isBetween = isEnd && !begins(retry) && LATE_PHASE.test(before.verdict.failure?.phase ?? '');
  const isEarly = (text: string): boolean =>
    isLater
      ? /^\[(?:init|preflight)\]/.test(text)
      : (isBetween && EARLY_STEP.test(text)) || BEGIN.test(text) || known.has(text);
  return (
    before.verdict.result === 'failed' &&
    retry.verdict.result === 'unfinished' &&
    retry.attempt.error.every(({ text }) => KLOG.test(text) || isWarning(text)) &&
    retry.attempt.output.every(({ text }) => !PROGRESS.test(text) || isEarly(text))
  );
}

/** The last error is cut off, behind more than the request or the wrapping that many errors share, and was told in full before. */
function isToldAgain(before: Judged, last: Judged | undefined): boolean {
  const said = errorOf(last);
  return (
    last?.verdict.failure?.code === 'Unclassified' &&
    before.verdict.failure?.code !== 'Unclassified' &&
    said.length >= ENOUGH_SAID &&
    errorOf(before).startsWith(said) &&
    !/: *$|(?:Get|Post|Put|Patch) \S*$/.test(said)
  );
}

const ENOUGH_SAID = 60;
const errorOf = (judged: Judged | undefined): string =>
  (judged?.attempt.error ?? []).map(({ text }) => text.trim()).join(' ');

const isBeyondChecks = ({ attempt, verdict }: Judged): boolean =>
  (verdict.failure?.phase ?? 'preflight') !== 'preflight' ||
  attempt.output.some(({ text }) => PROGRESS.test(text) && !/^\[(?:init|preflight)\]/.test(text));

/** @param behind The lines after its last. */
function judge(
  attempt: Attempt,
  evidence: Evidence,
  behind: readonly LogLine[],
  end: LogSight['end'],
): AttemptVerdict {
  const { verb, first, last } = attempt;
  const summary = { verb, first, last };
  const streams = streamsOf(attempt);
  if (attempt.result === 'failed') {
    const failure = withoutStatus(diagnose({ verb, ...streams, exitStatus: 'unknown' }, evidence));
    return { ...summary, result: 'failed', failure };
  }
  if (attempt.result === 'succeeded') return { ...summary, result: 'succeeded' };
  const exitStatus = killedIn(attempt, behind) ?? end?.exitStatus;
  if (exitStatus !== undefined) {
    const failure = withoutStatus(classify({ verb, ...streams, exitStatus }));
    return { ...summary, result: 'failed', failure };
  }
  const lost = lostKubelet({ verb, ...streams, exitStatus: 'unknown' }, evidence);
  return lost === undefined
    ? { ...summary, result: 'unfinished' }
    : { ...summary, result: 'failed', failure: lost };
}

/** An excerpt that has no more of an attempt than its beginning may have the kubelet's end. */
function besideFirstLine({ attempt }: Judged, lines: readonly LogLine[]): LogVerdict | undefined {
  const steps = [...attempt.output, ...attempt.error].filter(({ text }) => !FINDING.test(text));
  if (lines.length > EXCERPT || steps.some(({ text }) => PROGRESS.test(text) && !BEGIN.test(text)))
    return undefined;
  const node = failureOfNode(lines);
  // Before kubeadm has written its files the kubelet cannot but end.
  return node === undefined || ['KubeletFileMissing', 'KubeletCrashing'].includes(node.code)
    ? undefined
    : lone(node, lines);
}

/** A shell tells on the line behind the last of a program that a signal ended it. */
function killedIn({ first, output }: Attempt, behind: readonly LogLine[]): number | undefined {
  const next = behind
    .filter(({ stream }) => stream === first.stream || stream === `${first.stream}other`)
    .slice(0, 3);
  for (const { text } of [...output.slice(-5), ...next]) {
    const status = STATUS.exec(text)?.[1];
    if (status !== undefined) return Number(status);
    const word = KILLED.exec(text)?.[1];
    if (word !== undefined) return word === 'Killed' ? 137 : 143;
  }
  return undefined;
}

/** kubeadm still waits in this log, but the kubelet's own log shows that it waits in vain. */
function lostKubelet(end: KubeadmEnd, evidence: Evidence): KubeadmFailure | undefined {
  const enough = IS_DOWN.test(end.stdout) ? 1 : ENOUGH;
  if (countKubeletEnds(evidence.kubeletLog) < enough) return undefined;
  const found = explainKubeletEnd(evidence);
  if (found === undefined || (found.persistence ?? codes()[found.code].persistence) !== 'permanent')
    return undefined;
  return withoutStatus(refined({ ...classify(end), lines: [] }, found));
}

/** What the log had mixed, in the shape that classification reads. */
const streamsOf = ({ output, error }: Attempt): { stdout: string; stderr: string } => ({
  stdout: output.map(({ text }) => text).join('\n'),
  stderr: error.map(({ text }) => text).join('\n'),
});

/** Of a success, what kubeadm prints behind its first sentence, as tail shows it. */
const SUCCESS_TAIL =
  /^\* (?:Certificate signing request was sent to apiserver and a response was received|The Kubelet was informed of the new secure connection details)\.$|^Run 'kubectl get nodes' on the control-plane to see this node join the cluster\.$|^Then you can join any number of (?:worker|control-plane|the control-plane) nodes? /;
const UNREAD_CONFIG =
  /error unmarshaling configuration schema\.GroupVersionKind\{Group:"kubeadm\.k8s\.io"[^}]*\}: json: cannot unmarshal /;

/** Only the end of its output is there, or one line that no other program writes. */
function fromScrap(lines: readonly LogLine[]): LogVerdict | undefined {
  const at = lines.findLastIndex(({ text }) => SUCCESS.test(text) || SUCCESS_TAIL.test(text));
  const end = lines[at];
  const unread = lines.findLastIndex(({ text }) => KLOG.test(text) && UNREAD_CONFIG.test(text));
  const line = lines[unread];
  if (end !== undefined && at > unread) {
    const verb = /^Your Kubernetes|any number of/.test(end.text) ? 'init' : 'join';
    return {
      result: 'succeeded',
      telling: [],
      attempts: [{ verb, result: 'succeeded', first: end, last: end }],
    };
  }
  if (line === undefined) return undefined;
  const stderr = line.text.replace(KLOG, '');
  const failure = withoutStatus(classify({ verb: undefined, stdout: '', stderr, exitStatus: 'unknown' }));
  return {
    result: 'failed',
    failure,
    telling: [line],
    attempts: [{ verb: undefined, result: 'failed', first: line, last: line, failure }],
  };
}

function withoutAttempt(lines: readonly LogLine[]): LogVerdict {
  const scrap = fromScrap(lines);
  if (scrap !== undefined) return scrap;
  const missing = lines.findLast(({ text }) => NO_KUBEADM.test(text));
  if (missing !== undefined) {
    const failure = bareFailure('KubeadmNotFound', missing.text);
    return { result: 'failed', failure, telling: [missing], attempts: [] };
  }
  const denied = lines.findLast(({ text }) => NOT_EXECUTABLE.test(text));
  if (denied !== undefined) {
    const { cause: _, ...failure } = bareFailure('KubeadmNotFound', denied.text);
    const cause = `${NOT_EXECUTABLE.exec(denied.text)?.[1]} cannot be executed: permission denied.`;
    return { result: 'failed', failure: { ...failure, cause }, telling: [denied], attempts: [] };
  }
  const node = failureOfNode(lines) ?? endedCall(lines) ?? cloudInitFailure(lines);
  if (node !== undefined) return lone(node, lines);
  const script = failedScript(lines);
  const nothing: LogVerdict = { ...NOTHING, others: writersOf(lines) };
  return script === undefined
    ? nothing
    : { ...nothing, likely: script, telling: tellingLines(undefined, script, lines) };
}

/** Whose log it is instead. */
const OTHERS: [name: string, form: RegExp][] = [
  ['the kubelet', /^kubelet$/],
  ['containerd', /^containerd$/],
  ['CRI-O', /^crio$/],
  ['etcd', /^etcd$/],
  ['cloud-init', /^cloud-init$/],
];
const OF_CLOUD_INIT = /^Cloud-init v\./;

const writersOf = (lines: readonly LogLine[]): string[] =>
  OTHERS.filter(([name, form]) =>
    lines.some(
      ({ program = '', text }) => form.test(program) || (name === 'cloud-init' && OF_CLOUD_INIT.test(text)),
    ),
  ).map(([name]) => name);

/** Of a result of Ansible that was cut before kubeadm's output, the command and its status are there. */
function endedCall(lines: readonly LogLine[]): KubeadmFailure | undefined {
  const place = ({ file, number }: LogLine): string => `${file}:${number}`;
  const calls = new Set(lines.filter(({ text }) => COMMAND.test(text)).map(place));
  for (const line of calls.size === 0 ? [] : lines) {
    const status = STATUS.exec(line.text)?.[1];
    if (status === undefined || !calls.has(place(line))) continue;
    return withoutStatus(classify({ verb: undefined, stdout: '', stderr: '', exitStatus: Number(status) }));
  }
  return undefined;
}

const lone = (failure: KubeadmFailure, lines: readonly LogLine[]): LogVerdict => ({
  result: 'failed',
  failure,
  telling: tellingLines(undefined, failure, lines),
  attempts: [],
});

const endOf = ({ output, error }: Attempt): LogLine[] =>
  [...(output.length > 0 ? output : error)].filter(({ text }) => text.trim() !== '').slice(-3);

function withoutStatus({ exitStatus: _, ...failure }: KubeadmFailure): KubeadmFailure {
  return failure;
}
