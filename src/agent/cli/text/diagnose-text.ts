import { visibleOutput } from '../../../kit/terminal/visible.ts';
import { codes, type Persistence } from '../../../protocol/codes/codes.ts';
import { redact } from '../../../secrets/redact.ts';
import type { AttemptVerdict, LogVerdict } from '../../diagnosis/diagnose-log.ts';
import type { LogLine } from '../../diagnosis/transcript/line.ts';
import type { LogExtent } from '../../diagnosis/transcript/log-window.ts';
import type { KubeadmFailure } from '../../diagnosis/words/classify.ts';
import { explainCall } from './explain.ts';

/** Raised when a field changes its meaning or goes. */
const JSON_VERSION = 2;
const MAX_LINE = 400;

const WITHOUT_FAILURE: Record<Exclude<LogVerdict['result'], 'failed'>, string> = {
  succeeded: 'The last kubeadm in this log succeeded.',
  unfinished: 'The log ends before kubeadm did: it tells neither success nor an error.',
  nothing: 'There is no output of kubeadm init or join in this log.',
};

/** Where nobody can tell whether it passes, nothing is said of it. */
const PERSISTENCE: Partial<Record<Persistence, string>> = {
  transient: 'it may pass by itself',
  permanent: 'it does not pass by itself',
};

/** Lines are told with the name of their file where there are several. */
export function verdictAsText(verdict: LogVerdict, read: readonly LogExtent[]): string {
  const { result, failure, likely, telling, attempts, others = [] } = verdict;
  const nameFiles = read.length > 1;
  const place = ({ file, number }: LogLine): string => (nameFiles ? `${file}:${number}` : `line ${number}`);
  const shown = telling.map((line) => `    ${place(line)}: ${shownText(line)}`);
  const earlier = attempts.slice(0, -1).map((attempt) => `  ${describeAttempt(attempt, place)}`);
  const blocks = [
    failure === undefined || result !== 'failed'
      ? [
          WITHOUT_FAILURE[result === 'failed' ? 'nothing' : result],
          ...(result === 'nothing' && others.length > 0 && likely === undefined
            ? [`It is of ${inWords(others)}, which ${others.length > 1 ? 'name' : 'names'} no failure in it.`]
            : []),
          ...(result === 'unfinished' ? [describeReach(attempts.at(-1), place)] : []),
          ...shown,
        ]
      : [
          heading(failure, attempts.at(-1)),
          '',
          `  Cause        ${failure.cause}`,
          `  What to do   ${failure.remedy}`,
          ...passes(failure.persistence),
          `  More         ${explainCall(failure.code)}`,
          ...(shown.length > 0 ? ['', '  Lines', ...shown] : []),
        ],
    likely === undefined ? [] : describeLikely(likely, result),
    earlier.length > 0 ? ['Earlier attempts in this log:', ...earlier] : [],
    read.filter(({ whole }) => !whole).map(describeExtent),
  ];
  const text = blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n');
  // The names of files, too, are whatever somebody called them.
  return `${visibleOutput(text)}\n`;
}

export function verdictAsJson(
  { result, failure, likely, telling, attempts }: LogVerdict,
  files: readonly string[],
  read: readonly LogExtent[],
): string {
  const line = (one: LogLine) => ({ file: one.file, line: one.number, text: shownText(one) });
  const failureJson = (one: KubeadmFailure) => ({
    code: one.code,
    category: codes()[one.code].category,
    persistence: one.persistence,
    cause: one.cause,
    remedy: one.remedy,
    more: explainCall(one.code),
    ...(one.phase === undefined ? {} : { phase: one.phase }),
  });
  const plain = {
    version: JSON_VERSION,
    files,
    read,
    result,
    failure: failure === undefined ? null : failureJson(failure),
    likely: likely === undefined ? null : failureJson(likely),
    lines: telling.map(line),
    attempts: attempts.map((attempt) => ({
      verb: attempt.verb ?? null,
      result: attempt.result,
      from: { file: attempt.first.file, line: attempt.first.number },
      to: { file: attempt.last.file, line: attempt.last.number },
      failure: attempt.failure === undefined ? null : failureJson(attempt.failure),
    })),
  };
  return `${JSON.stringify(plain, undefined, 2)}\n`;
}

const describeExtent = ({ file, bytes, lines }: LogExtent): string =>
  `Read ${lines} lines (${Math.ceil(bytes / 1024 / 1024)} MiB) of ${file}: the last 8 MiB as they are, of what is before only kubeadm's lines and those around them.`;

const inWords = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ');

const passes = (persistence: Persistence): string[] => {
  const words = PERSISTENCE[persistence];
  return words === undefined ? [] : [`  Try again    ${words}`];
};

/** How far the log goes. */
const describeReach = (attempt: AttemptVerdict | undefined, place: (line: LogLine) => string): string =>
  attempt === undefined
    ? ''
    : `What was read of ${command(attempt.verb)} goes from ${place(attempt.first)} to ${place(attempt.last)}, and ends so:`;

const describeLikely = ({ code, cause, remedy }: KubeadmFailure, result: LogVerdict['result']): string[] => [
  `Most likely  ${code} (${codes()[code].category})${result === 'nothing' ? '' : ', a guess by what it says before its end'}`,
  '',
  `  Cause        ${cause}`,
  `  What to do   ${remedy}`,
  `  More         ${explainCall(code)}`,
];

function heading({ code, phase }: KubeadmFailure, attempt: AttemptVerdict | undefined): string {
  const what = attempt === undefined ? '' : command(attempt.verb);
  const where = phase === undefined ? what : `${what}, phase ${phase}`;
  return `${code} (${codes()[code].category})${where === '' ? '' : `: ${where}`}`;
}

function describeAttempt(
  { verb, result, first, failure }: AttemptVerdict,
  place: (line: LogLine) => string,
): string {
  const end = failure === undefined ? result : `${failure.code}: ${failure.cause}`;
  return `${place(first)}: ${command(verb)}: ${end}`;
}

const command = (verb: AttemptVerdict['verb']): string =>
  verb === undefined ? 'kubeadm' : `kubeadm ${verb}`;

function shownText({ text }: LogLine): string {
  const flat = redact(text).trim();
  return flat.length > MAX_LINE ? `${flat.slice(0, MAX_LINE - 1)}…` : flat;
}
