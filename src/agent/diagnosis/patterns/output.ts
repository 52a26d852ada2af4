/**
 * Takes apart what kubeadm printed: the error it ended with, in which phase, and the preflight findings.
 *
 * Three forms exist. 1.20 to 1.33 print the error plainly, or, from --v=5 on, cause first, each wrapping message and
 * its stack trace after it. 1.34 and newer start it with "error: " and print the joined message before one trace.
 */

import { continuesFinding, saysWhyNotPulled } from './continued.ts';

export interface PreflightFinding {
  /** Name of the check, e.g. `Port-10250`, `FileAvailable--etc-kubernetes-kubelet.conf`. */
  name: string;
  /** Its message without the marker; may have several lines. */
  text: string;
}

export interface KubeadmOutput {
  /** Phase that failed, e.g. `preflight`, `control-plane-join/etcd`. */
  phase?: string;
  /** The error message in one text, outermost wrapping first, without stack traces and hints. */
  error: string;
  /** `[ERROR Name]` blocks. */
  preflight: PreflightFinding[];
  /** `[WARNING Name]` blocks. */
  warnings: PreflightFinding[];
  stdout: string;
  stderr: string;
}

/**
 * The name of a preflight check, for a regular expression. From kubeadm 1.37 on a port has the address beside it that it
 * was tried on (published changes, read and not run: where in the name it stands is left open).
 */
export const CHECK_NAME = String.raw`(?:Port-[\w.:[\]-]+|[\w./\\-]+)`;
/** A logger of another make may put a mark before it ("???"). */
const KLOG = /^(?:[^\w\s[]{1,4} )?[IWEF]\d{4} \d{2}:\d{2}:\d{2}\.\d+ +\d+ [\w.-]+:\d+\] /;
const FINDING = new RegExp(`^\\s*\\[(ERROR|WARNING) (${CHECK_NAME}|[^\\]]+)\\]: (.*)$`);
/** A log ends within the name of the check. */
const CUT_FINDING = new RegExp(`^\\s*\\[(?:ERR|WARN)[A-Z]*(?: ${CHECK_NAME}?)?$`);
const PHASE = /error execution phase ([\w/-]+)/;
/** A frame of a Go stack trace: a function's full name, then its file on an indented line. */
const FRAME_FILE = /^\s+\S+\.(go|s):\d+( \+0x[0-9a-f]+)?$/;
const FRAME_FILE_WITHIN = /^[ \t]+\S+\.(?:go|s):\d+(?: \+0x[0-9a-f]+)?$/m;
/** What begins something new, whatever a finding has left open. */
const BEGINS = /error execution phase|^\[|^error: |^\s*The HTTP call equal to /;
const CHATTER = [
  /^To see the stack trace of this error execute with --v=5 or higher/,
  /^\[preflight\] If you know what you are doing, you can make a check non-fatal/,
  /^\{"level":/,
  // The shell around kubeadm, when a signal ended it.
  /^(?:Terminated|Killed|Hangup|Interrupt)$/,
];

/** kubeadm's error stands at the end; what is before these many lines, or behind these many characters of one, is not looked at. */
const MAX_LINES = 400;
const MAX_LINE = 4096;
/** Long lines are few where kubeadm speaks: patterns that look again from each character end soon for so many of them. */
const MAX_TOTAL = 32 * 1024;

/** Never throws; fields are empty where kubeadm said nothing. */
export function parseKubeadmOutput(stdout: string, stderr: string): KubeadmOutput {
  const kept = withoutTraces(stderr.split(/\r?\n/))
    .filter((line, i, all) => !KLOG.test(line) || !KLOG.test(all[i - 1] ?? ''))
    .slice(-MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE));
  const lines = within(kept, MAX_TOTAL).flatMap(apart);
  const preflight: PreflightFinding[] = [];
  const warnings: PreflightFinding[] = [];
  const messages: string[] = [];
  let open: PreflightFinding | undefined;
  for (const line of lines) {
    const finding = FINDING.exec(line);
    if (finding !== null) {
      open = { name: finding[2] ?? '', text: finding[3] ?? '' };
      (finding[1] === 'ERROR' ? preflight : warnings).push(open);
    } else if (open !== undefined && saysWhyNotPulled(open.text, line)) {
      open.text += `\n${line}`;
    } else if (KLOG.test(line) || [CUT_FINDING, ...CHATTER].some((pattern) => pattern.test(line))) {
      open = undefined;
    } else if (open !== undefined && !BEGINS.test(line) && continuesFinding(open.text, line)) {
      open.text += `\n${line}`;
    } else if (line.trim() !== '') {
      open = undefined;
      messages.push(line.trim());
    }
  }
  for (const finding of [...preflight, ...warnings]) finding.text = finding.text.trim();
  const error = joinMessages(messages, FRAME_FILE_WITHIN.test(stderr));
  const phase = PHASE.exec(error)?.[1];
  return { ...(phase === undefined ? {} : { phase }), error, preflight, warnings, stdout, stderr };
}

/** Does the error say nothing beyond its phase and that time is over, or is it not in the log at all? */
export function isBareError({ error }: KubeadmOutput): boolean {
  const rest = error.replace(
    /error execution phase \S+|^(?:\[[\w-]+-check\] |The HTTP call equal to |The (?:kubelet|API server) is not healthy after ).*|^(?:context deadline exceeded|timed out waiting for the condition)$/gm,
    '',
  );
  return rest.trim() === '';
}

/** The last lines that together are no longer than that, and of the one before them what is left. */
function within(lines: readonly string[], most: number): string[] {
  let left = most;
  const last = lines.toReversed().map((line) => {
    const piece = line.slice(0, Math.max(left, 0));
    left -= line.length;
    return piece;
  });
  return last.reverse().filter((line, i) => line !== '' || lines[i] === '');
}

const NEXT_FINDING = new RegExp(`(?<!\\s)\\s+(?=\\[(?:ERROR|WARNING) ${CHECK_NAME}\\]: |\\[preflight\\] If)`);

/** Where somebody has put all findings into one line. */
function apart(line: string): string[] {
  return line.trimStart().indexOf('[ERROR ', 1) > 0 ? line.split(NEXT_FINDING) : [line];
}

/** Drops the frames of stack traces; a frame's function is known by the file on the line after it. */
function withoutTraces(lines: string[]): string[] {
  return lines.filter((line, i) => !FRAME_FILE.test(line) && !FRAME_FILE.test(lines[i + 1] ?? ''));
}

/** Verbose output gives the cause first and the phase last: turned round, it reads as the plain form does. */
function joinMessages(messages: string[], hasTrace: boolean): string {
  const plain = messages.map((message) => message.replace(/^error: /, ''));
  const last = plain.at(-1) ?? '';
  // The phase comes last of all, and may be cut off.
  const isCut = hasTrace && !plain.some((message) => PHASE.test(message));
  const inverted = plain.length > 1 && (isCut || /^error execution phase [\w/.-]+$/.test(last));
  return inverted ? [...plain].reverse().join(': ') : plain.join('\n');
}
