/**
 * Says what a log tells of kubeadm: the last attempt's end is the verdict, the earlier ones are listed. A log without an
 * error of kubeadm gets no code, whatever else may stand in it.
 */
import { CODES, type Code } from '../../protocol/codes/codes.ts';
import { explainKubeletEnd, KUBELET_ENDED } from './causes/explain-kubelet.ts';
import { diagnose, refined } from './diagnose.ts';
import { type Evidence, NO_EVIDENCE } from './evidence/evidence.ts';
import { tellingLines } from './telling-lines.ts';
import { type Attempt, findAttempts } from './transcript/attempts.ts';
import type { LogLine } from './transcript/line.ts';
import { streamsOf } from './transcript/streams.ts';
import { classify, type KubeadmEnd, type KubeadmFailure } from './words/classify.ts';

export interface LogVerdict {
  /** `nothing`: kubeadm is not in this log. `unfinished`: it is, but the log ends before its end. */
  result: 'failed' | 'succeeded' | 'unfinished' | 'nothing';
  failure?: KubeadmFailure;
  /** The lines that the verdict rests on, or with which an unfinished log ends; not redacted. */
  telling: LogLine[];
  attempts: AttemptVerdict[];
}

export interface AttemptVerdict {
  verb: 'init' | 'join';
  result: Attempt['result'];
  first: LogLine;
  last: LogLine;
  failure?: KubeadmFailure;
}

const KILLED = /(?:^|[ :])(Killed|Terminated)\b(?=$|.*kubeadm)/;
const NO_KUBEADM = /kubeadm: (?:command )?not found|exec: "?kubeadm"?: executable file not found/;

/** What is known of the last attempt besides the log. */
export interface LogSight {
  /** What it does, where the log does not tell. */
  verb?: 'init' | 'join' | undefined;
  /** Given where kubeadm is known to have ended, and not well. */
  end?: { exitStatus: number };
}

export function diagnoseLog(lines: readonly LogLine[], sight: LogSight = {}): LogVerdict {
  const evidence = evidenceIn(lines);
  const own = lines.filter((line) => !isEvidence(line));
  const attempts = findAttempts(own, sight.verb).map((attempt, index, { length }) => ({
    attempt,
    verdict: judge(attempt, evidence, lines, index === length - 1 ? sight.end : undefined),
  }));
  const summaries = attempts.map(({ verdict }) => verdict);
  const last = attempts.at(-1);
  if (last === undefined) return withoutAttempt(own, evidence, lines);
  const { failure, result } = last.verdict;
  if (result === 'failed' && failure !== undefined) {
    return { result, failure, telling: tellingLines(last.attempt, failure, lines), attempts: summaries };
  }
  return { result, telling: result === 'unfinished' ? endOf(last.attempt) : [], attempts: summaries };
}

function judge(
  attempt: Attempt,
  evidence: Evidence,
  lines: readonly LogLine[],
  end: LogSight['end'],
): AttemptVerdict {
  const { verb, first, last } = attempt;
  const summary = { verb, first, last };
  const streams = streamsOf(attempt);
  if (attempt.result === 'failed') {
    // Of a log nobody knows the exit status; any but a signal's says the same.
    const failure = withoutStatus(diagnose({ verb, ...streams, exitStatus: 1 }, evidence));
    return { ...summary, result: 'failed', failure };
  }
  if (attempt.result === 'succeeded') return { ...summary, result: 'succeeded' };
  const exitStatus = killedIn(attempt, lines) ?? end?.exitStatus;
  if (exitStatus !== undefined) {
    const failure = withoutStatus(classify({ verb, ...streams, exitStatus }));
    return { ...summary, result: 'failed', failure };
  }
  const lost = lostKubelet({ verb, ...streams, exitStatus: undefined }, evidence);
  return lost === undefined
    ? { ...summary, result: 'unfinished' }
    : { ...summary, result: 'failed', failure: lost };
}

/** A shell tells on the line behind the last of a program that a signal ended it. */
function killedIn(attempt: Attempt, lines: readonly LogLine[]): number | undefined {
  const end = lines.indexOf(attempt.last);
  for (const { text } of [...attempt.output.slice(-5), ...lines.slice(end + 1, end + 4)]) {
    const word = KILLED.exec(text)?.[1];
    if (word !== undefined) return word === 'Killed' ? 137 : 143;
  }
  return undefined;
}

/** kubeadm still waits in this log, but the kubelet's own log shows that it waits in vain. */
function lostKubelet(end: KubeadmEnd, evidence: Evidence): KubeadmFailure | undefined {
  if (evidence.kubeletLog.filter((line) => KUBELET_ENDED.test(line)).length < 3) return undefined;
  const found = explainKubeletEnd(evidence);
  if (found === undefined || (found.persistence ?? CODES[found.code].persistence) !== 'permanent')
    return undefined;
  return withoutStatus(refined({ ...classify(end), lines: [] }, found));
}

function withoutAttempt(own: readonly LogLine[], evidence: Evidence, lines: readonly LogLine[]): LogVerdict {
  const missing = own.findLast(({ text }) => NO_KUBEADM.test(text));
  if (missing !== undefined) {
    return {
      result: 'failed',
      failure: bare('KubeadmNotFound', missing.text),
      telling: [missing],
      attempts: [],
    };
  }
  const registered = evidence.kubeletLog.some((line) => /Successfully registered node/.test(line));
  const lost = registered
    ? undefined
    : lostKubelet({ verb: 'join', stdout: '', stderr: '', exitStatus: 1 }, evidence);
  if (lost === undefined) return { result: 'nothing', telling: [], attempts: [] };
  return { result: 'failed', failure: lost, telling: tellingLines(undefined, lost, lines), attempts: [] };
}

function bare(code: Code, line: string): KubeadmFailure {
  const { cause, remedy, persistence } = CODES[code];
  return { code, cause, remedy, persistence, lines: [line], evidence: line };
}

const isEvidence = ({ program, text }: LogLine): boolean =>
  program === 'kubelet' ||
  program === 'containerd' ||
  program === 'crio' ||
  (program === 'systemd' && /^(?:kubelet|containerd|crio)\.service/.test(text));

function evidenceIn(lines: readonly LogLine[]): Evidence {
  const of = (test: (line: LogLine) => boolean): string[] => lines.filter(test).map(({ text }) => text);
  return {
    ...NO_EVIDENCE,
    kubeletLog: of(
      ({ program, text }) =>
        program === 'kubelet' || (program === 'systemd' && text.startsWith('kubelet.service')),
    ),
    runtimeLog: of(
      ({ program, text }) =>
        program === 'containerd' ||
        program === 'crio' ||
        (program === 'systemd' && /^(?:containerd|crio)\.service/.test(text)),
    ),
  };
}

const endOf = ({ output, error }: Attempt): LogLine[] =>
  [...(output.length > 0 ? output : error)].filter(({ text }) => text.trim() !== '').slice(-3);

function withoutStatus({ exitStatus: _, ...failure }: KubeadmFailure): KubeadmFailure {
  return failure;
}
