import { formatMs } from '../../../kit/duration.ts';
import { fold, pad, width, wrap } from '../../../kit/terminal/columns.ts';
import { visible } from '../../../kit/terminal/visible.ts';
import { inPlatformWords } from '../../../protocol/codes/on-windows.ts';
import type { Failure } from '../../../protocol/journal.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { explainCall } from './explain.ts';
import { columnsOf } from './live-line.ts';
import { ONLY_ROOT, type Status, type StepStatus } from './read-status.ts';

/** How the place shows text where it is printed. */
interface Looks {
  /** Columns of the terminal; absent where there is none, and lines may be as long as they are. */
  columns?: number;
  colours: boolean;
}

/** What a stream shows; a person who wants no colours says so with NO_COLOR. */
export function terminalStyle(stream: NodeJS.WriteStream): Looks {
  return stream.isTTY ? { columns: columnsOf(stream), colours: stream.hasColors() } : { colours: false };
}

const MARKS: Record<StepStatus['state'], string> = {
  done: '✔',
  failed: '✘',
  running: '▶',
  interrupted: '■',
  retrying: '↻',
  waiting: '·',
};

/** Select Graphic Rendition: a number that begins it, to be ended by 0. */
const GREEN = 32;
const RED = 31;
const YELLOW = 33;
const DIM = 2;
const BOLD = 1;

const STATE_COLOURS: Record<StepStatus['state'], number> = {
  done: GREEN,
  failed: RED,
  running: YELLOW,
  interrupted: YELLOW,
  retrying: YELLOW,
  waiting: DIM,
};

/** More than people like to read in one line. */
const WIDEST_TEXT = 100;
const LONGEST_TITLE = 48;
/** Columns of the names before cause and remedy. */
const LABEL = 12;

type Paint = (text: string, rendition: number) => string;

/** The status for people: the verdict first, then each step with its time, then why it failed and what to do. */
export function statusText(status: Status, { columns, colours }: Looks = { colours: false }): string {
  const paint: Paint = (text, rendition) => (colours ? `\x1b[${rendition}m${text}\x1b[0m` : text);
  const room = columns ?? Number.POSITIVE_INFINITY;
  const { steps, outcome } = status;
  const titles = Math.min(LONGEST_TITLE, Math.max(0, ...steps.map(({ title }) => width(title))));
  const sentence = (text: string) => (Number.isFinite(room) ? wrap(text, room) : [text]);
  const lines = sentence(headline(status)).map((line) => paint(line, isBad(status) ? RED : BOLD));
  if (steps.length > 0) lines.push('', ...steps.flatMap((step) => stepLines(step, titles, room, paint)));
  const block = (heading: string, failure: Failure) =>
    lines.push('', paint(heading, BOLD), ...failureLines(failure, room, paint));
  // The verdict comes first, as in outcome.json; it also says more than the step's record: what to do now.
  const decisive = verdictStep(status);
  if (outcome?.failure)
    block(decisive ? `${decisive.title}: ${outcome.failure.code}` : outcome.failure.code, outcome.failure);
  for (const step of steps) {
    if (step === decisive) continue;
    const { title, state, failure, lastFailure } = step;
    if (lastFailure) block(`${title}, attempt ${lastFailure.attempt}: ${lastFailure.code}`, lastFailure);
    else if (failure && state !== 'done') block(`${title}: ${failure.code}`, failure);
  }
  const verdict = outcome?.failure?.cause;
  // A failure that stands above; told again, its finding says more.
  const isAbove = (message: string) =>
    steps.some(({ failure }) => failure && message.endsWith(failure.cause)) ||
    (verdict !== undefined && message.includes(verdict));
  const findings = (outcome ?? status).findings?.filter(({ message }) => !isAbove(message)) ?? [];
  if (findings.length > 0)
    lines.push(
      '',
      paint('Noticed', BOLD),
      ...findings.flatMap((finding) => findingLines(finding, room, paint)),
    );
  if (outcome?.support) lines.push('', ...sentence(`For support, without secrets: ${outcome.support}`));
  if (status.journal)
    lines.push(
      '',
      ...sentence(
        status.journal === ONLY_ROOT
          ? `The journal was not read: ${ONLY_ROOT}. As root, this tells more.`
          : `The journal was not read as a whole: ${status.journal}.`,
      ),
    );
  return `${lines.join('\n')}\n`;
}

/** The step whose failure is the verdict. */
function verdictStep({ steps, outcome }: Status): StepStatus | undefined {
  const { step: id, failure: verdict } = outcome ?? {};
  if (verdict === undefined) return undefined;
  const isIt = ({ state, failure }: StepStatus) => state !== 'done' && failure?.code === verdict.code;
  return steps.find((step) => step.id === id && isIt(step)) ?? steps.find(isIt);
}

const isBad = ({ state, outcome }: Status): boolean =>
  state === 'interrupted' || (state === 'concluded' && outcome !== undefined && outcome.exitStatus !== 0);

function headline({ state, outcome, runningSeconds, mode }: Status): string {
  if (state === 'running')
    return runningSeconds === undefined
      ? 'at work: the agent looks for the user data, or waits for where they may be'
      : `at work for ${formatMs(runningSeconds * 1000)}`;
  if (state === 'not started') return 'not started: Slipway has not run on this machine';
  if (state === 'reset') return 'reset: taken back to what it was before (slipway reset)';
  if (state === 'interrupted' && mode === 'shim')
    return 'interrupted: the agent is gone without a verdict (call kubeadm again)';
  if (state === 'interrupted')
    return inPlatformWords(
      'interrupted: the agent is gone without a verdict (start it: systemctl start slipway)',
    );
  if (state === 'unknown')
    return inPlatformWords(
      'no verdict yet; whether Slipway is at work, only root can see (sudo slipway status)',
    );
  if (!outcome) return 'concluded before the last reboot';
  // Without thousandths: it is to fit 60 columns.
  const at = outcome.endedAt.replace(/\.\d+Z$/, 'Z');
  const when = `in ${formatMs(outcome.seconds * 1000)}, at ${at}`;
  if (outcome.findings.some(({ code }) => code === 'NotKnownToMakeANode'))
    return `user data applied, not known to make a node ${when}`;
  return outcome.result === 'succeeded'
    ? `bootstrapped ${when}`
    : `${outcome.result} (exit status ${outcome.exitStatus}) ${when}`;
}

/** A step that is over, in rows of a terminal or in one line. */
export function finishedStep(
  { state, title, attempts, seconds, failure }: StepStatus,
  columns?: number,
): string {
  const tried = attempts > 1 ? `  ${attempts} attempts` : '';
  const why = failure && state === 'failed' ? `  ${failure.code}` : '';
  const text = visible(`${MARKS[state]} ${title}  ${formatMs(seconds * 1000)}${tried}${why}`);
  return columns === undefined ? text : fold(text, columns).join('\n');
}

/** Whatever does not fit beside a title stands below it, and nothing is cut: the end often says what is wrong. */
function stepLines(
  { state, title, attempts, seconds, message }: StepStatus,
  titles: number,
  room: number,
  paint: Paint,
): string[] {
  const time = state === 'waiting' ? '' : formatMs(seconds * 1000);
  const columns = Math.min(titles, Math.max(8, room - 14));
  const [first = '', ...others] = Number.isFinite(room) ? fold(title, columns) : [visible(title)];
  const head = `${pad(first, columns)} ${time.padStart(8)}`;
  const tried = attempts > 1 ? (state === 'running' ? `attempt ${attempts}` : `${attempts} attempts`) : '';
  const stopped = state === 'interrupted' ? 'interrupted' : '';
  const now = state === 'running' || state === 'retrying' || state === 'interrupted' ? (message ?? '') : '';
  const tail = (parts: string[]) =>
    parts.filter(Boolean).map((part, at) => `${at === 0 ? '  ' : ', '}${part}`);
  const whole = tail([tried, stopped, now]).join('');
  const short = tail([tried, stopped]).join('');
  const fits = (rest: string) => width(head) + width(rest) <= room - 4;
  const beside = [whole, short].find(fits) ?? '';
  const text = `${head}${beside === '' ? '' : paint(beside, DIM)}`.trimEnd();
  const left = beside === whole ? '' : beside === short ? now : whole.trimStart();
  const below = left === '' ? [] : wrap(left, Math.max(20, Math.min(WIDEST_TEXT, room) - 6));
  const shade = (line: string) => (state === 'waiting' ? paint(line, DIM) : line);
  return [
    `  ${paint(MARKS[state], STATE_COLOURS[state])} ${shade(text)}`,
    ...others.map((line) => `    ${shade(line)}`),
    ...below.map((line) => `      ${paint(line, DIM)}`),
  ];
}

function findingLines(
  { severity, code, message }: Outcome['findings'][number],
  room: number,
  paint: Paint,
): string[] {
  const columns = Math.max(20, Math.min(WIDEST_TEXT, room) - LABEL - 2);
  const text = `${message} [${code}]`;
  return (Number.isFinite(room) ? wrap(text, columns) : [visible(text)]).map(
    (line, index) => `  ${paint(pad(index === 0 ? severity : '', LABEL), DIM)}${line}`,
  );
}

function failureLines({ code, cause, remedy, lines = [] }: Failure, room: number, paint: Paint): string[] {
  const field = (name: string, texts: string[]) =>
    texts.map((text, index) => `  ${paint(pad(index === 0 ? name : '', LABEL), DIM)}${text}`);
  const columns = Math.max(20, Math.min(WIDEST_TEXT, room) - LABEL - 2);
  const sentences = (text: string) => (Number.isFinite(room) ? wrap(text, columns) : [visible(text)]);
  return [
    ...field('Cause', sentences(cause)),
    ...field('Output', lines.map(visible)),
    ...field('What to do', sentences(remedy)),
    ...field('More', [explainCall(code)]),
  ];
}
