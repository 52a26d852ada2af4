/** Reads the lines of one stream as kubeadm's attempts, one after the other. */
import { beginsTrace, earlyError, errorAt } from '../transcript/error-lines.ts';
import type { LogLine } from '../transcript/line.ts';
import {
  BEGIN,
  COMMAND,
  ETCD_JSON,
  FENCE,
  FINDING,
  HINT,
  KLOG,
  NO_MEMBER,
  NOT_SIGNED,
  OTHER_COMMAND,
  OTHERS,
  PROGRESS,
  SUCCESS,
  UPGRADE_FINDING,
  WENT_WELL,
} from '../transcript/sentences.ts';
import type { Attempt } from './attempt.ts';
import { giveUp, moveTail } from './gave-up.ts';
import { isError, opens, opensTrace } from './signs.ts';
import { wentOn } from './went-on.ts';

const OTHERS_ERROR =
  /^(?:error: )?error execution phase (?:preflight: (?:aborted reset operation|won't proceed; the user)|post-upgrade\b)/;
const INIT_ONLY =
  /^\[init\] Using Kubernetes version|^\[upload-config\]|^\[bootstrap-token\]|^\[addons\]|^Your Kubernetes/;
const JOIN_ONLY =
  /^\[preflight\] Reading configuration from the |^This node has joined|^\[discovery\]|^\[download-certs\]|perform the TLS Bootstrap|^\[check-etcd\]|couldn't validate the identity of the API Server/;
/** Neither `upgrade` nor `reset` has these phases, whatever stood before. */
const OURS_ALONE =
  /^(?:error: )?error execution phase (?:certs|kubeconfig|etcd(?:-join)?|wait-control-plane|upload-certs|mark-control-plane|kubelet-start|kubelet-wait-bootstrap|kubelet-finalize|control-plane-prepare|control-plane-join|check-etcd)[/:]|couldn't validate the identity of the API Server/;
const OTHER_KIND = /^\[(?:reset|upgrade(?:\/[\w-]+)?)\] /;
/** A run of our own on the same command line. */
const BEHIND = /(?:&&|;|\|\|)[^&;|]*\bkubeadm (?:init|join)\b/;
/** It fails as a pull within `init` would. */
const PULLS = /\bkubeadm config images pull\b/;
const isOtherCommand = (text: string): boolean =>
  OTHER_COMMAND.test(text) && !BEHIND.test(text) && !PROGRESS.test(text) && !PULLS.test(text);
const RESET = /\bkubeadm reset\b/;
/** Its first words when it gives up, before any advice. */
const UNFORTUNATELY = /^\s*Unfortunately, /;
/** Lines that are remembered outside of any attempt, of which an early error may be made. */
const MAX_LOOSE = 64;

/** In the order of their lines, which are all of one stream. */
export function findInStream(lines: readonly LogLine[]): Attempt[] {
  const attempts: Attempt[] = [];
  let open: { attempt: Attempt; sawProgress: boolean } | undefined;
  let loose: LogLine[] = [];
  /** Within `kubeadm upgrade` or `reset`, until its end. */
  let isOther = false;
  let isReset = false;
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
    if (isOtherCommand(text) && open === undefined) {
      isOther = true;
      isReset = RESET.test(text);
    } else if (isReset && FENCE.test(text))
      // A page shows the command alone; what its next block holds is no reset's.
      isOther = isReset = false;
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
    if (open === undefined && attempts.length > 0 && WENT_WELL.test(text)) {
      const made = begin(line);
      made.output.push(line);
      made.result = 'succeeded';
      close();
      continue;
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
    if (text.trim() !== '') attempt.last = line;
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
      // Verbose kubeadm gives the cause before what it caused.
      if (attempt.first === line && beginsTrace(lines, at)) attempt.error.push(...earlyError(loose));
      at = takeError(attempt, lines, at) - 1;
      close();
    } else if (FINDING.test(text)) attempt.error.push(line);
    else {
      attempt.output.push(line);
      open.sawProgress ||= PROGRESS.test(text) && !BEGIN.test(text);
    }
  }
  for (const attempt of attempts) giveUp(attempt);
  return attempts.filter(({ result, output, error }, index) => {
    if (error.some(({ text }) => UPGRADE_FINDING.test(text))) return false;
    if (output.some(({ text }) => PROGRESS.test(text))) return true;
    // Behind a success, what was tried or advised without an end is of one before it, of which somebody tells.
    const isPast = attempts[index - 1]?.result === 'succeeded';
    if (result === 'unfinished') return !isPast && isRefused(error) && !wentOn(output, error);
    return (
      !isPast ||
      result === 'succeeded' ||
      error.length > 0 ||
      output.some(({ text }) => UNFORTUNATELY.test(text))
    );
  });
}

/** Somebody who adds a member by hand is told once, and does not log it so. */
const isRefused = (error: readonly LogLine[]): boolean => {
  const refused = error.filter(({ text }) => NO_MEMBER.test(text)).length;
  return refused > 1 || (refused === 1 && error.some(({ text }) => PROMOTES.test(text))) || isUnknown(error);
};
const PROMOTES = /^I\d{4} .*\] \[etcd\] (?:Promoting (?:a|the) learner|Adding etcd member)/;
/** Only what it logs while it looks for the cluster: it is told again and again that the token has not signed. */
const isUnknown = (error: readonly LogLine[]): boolean =>
  error.filter(({ text }) => KLOG.test(text) && NOT_SIGNED.test(text)).length > 1;

/** @returns The index behind the error that begins at `at`. */
function takeError(attempt: Attempt, lines: readonly LogLine[], at: number): number {
  const { end, members, continued } = errorAt(lines, at);
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
  return end;
}
