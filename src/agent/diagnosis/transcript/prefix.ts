/**
 * Takes off what loggers and terminals put around a line: colours, carriage returns, the prefixes of journald, syslog,
 * the kernel's console, container runtimes, kubectl and compose. What was taken off says who wrote the line.
 */
import type { LogTime } from './line.ts';
import { clockTime } from './time.ts';

interface Peeled {
  text: string;
  program?: string;
  /** What names the writer, as far as known prefixes tell. */
  stream: string;
  time?: LogTime;
  /** Characters of the whole line, by which wrapping is known. */
  width: number;
  /** The line ended with a blank before its end was cut off. */
  spaced: boolean;
}

/** Longer lines are cut: nothing that kubeadm says about a failure stands behind so many characters. */
const MAX_LENGTH = 16 * 1024;

const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${ESCAPE}\\u0007]*(?:\\u0007|${ESCAPE}\\\\)?|[@-Z\\\\-_])`,
  'g',
);
const CONTROL = /[^\P{Cc}\t]/gu;

const DATE = '\\d{4}-\\d\\d-\\d\\d';
const CLOCK = '\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?';
const ZONE = '(?: ?(?:Z|UTC|[A-Z]{3,5}|[+-]\\d\\d(?::?\\d\\d)?))';
const STAMP = `${DATE}[T ]${CLOCK}${ZONE}?`;
/** `Nov 21`, `nov. 21`, `21 nov`, `11月 21`: journald writes the month in the machine's language. */
const DAY = '(?:(?:\\p{L}{2,9}\\.?|\\d{1,2}月) {1,2}\\d{1,2}日?|\\d{1,2}\\.? \\p{L}{2,9}\\.?)';
const WEEKDAY = '(?:\\p{L}{1,4}\\.?,? )?';
const HOST = '[\\w.:-]+';
const PROGRAM = '(?<program>[\\w@.()/+-]{1,64}?)';
// A field of a list, as kubeadm names it, looks like a program with its process.
const PROCESS =
  '\\[(?<pid>\\d+)\\]:(?! (?:Invalid value|Required value|Forbidden|Unsupported value|Duplicate value)) ?';
const MAYBE_PROCESS = `(?:\\[(?<pid>\\d+)\\])?: ?`;
/** Programs whose lines syslog writes without a process. */
const WITHOUT_PROCESS = '(?<program>kernel|systemd|kubelet|kubeadm|containerd|crio|dockerd|cloud-init|sudo)';

/** They name the program. */
const NAMING = [
  `^${WEEKDAY}${DAY}(?: \\d{4})?,? ${CLOCK}(?: \\d{4})? (?<host>${HOST}) ${PROGRAM}${MAYBE_PROCESS}`,
  `^${WEEKDAY}${STAMP} (?:(?<host>${HOST}) )?${PROGRAM}${PROCESS}`,
  `^${WEEKDAY}${STAMP} (?<host>${HOST}) ${WITHOUT_PROCESS}: ?`,
  `^\\d{10}\\.\\d{3,6} (?<host>${HOST}) ${PROGRAM}${MAYBE_PROCESS}`,
  `^\\[ *\\d+\\.\\d{3,6}\\] (?:(?<host>${HOST}) )?${PROGRAM}${PROCESS}`,
  `^(?:(?<host>${HOST}) )?(?<program>kubelet|kubeadm|containerd|crio|dockerd|systemd|cloud-init)${PROCESS}`,
  '^(?<program>kubelet|containerd|crio|etcd|kube-[a-z-]+): (?=[IWEF]\\d{4} |time=|\\{")',
  '^\\[pod/(?<host>[^/\\]]+)/(?<program>[^\\]]+)\\] ?',
  '^(?<program>[\\w.-]{2,40}?)(?:-\\d+)? +\\|(?: |$)',
].map((source) => new RegExp(source, 'u'));

/** A file below /var/log/pods. */
const CONTAINER = new RegExp(`^${STAMP} std(?:out|err) [FP] ?`, 'u');

/** They are only in the way; lines that have one are another writer's than lines that have none. */
const BARE: [kind: string, form: RegExp][] = [
  ['cri', CONTAINER],
  ['step', new RegExp(`^[^\\t]{1,80}\\t[^\\t]{1,80}\\t\\uFEFF?(?=${DATE}T)`, 'u')],
  ['stamp', new RegExp(`^\\[?${STAMP}\\]?(?: \\| | - |: | |$)`, 'u')],
  ['kernel', /^\[ *\d+\.\d{3,6}\] (?=[\S\t])|^\[\p{L}{2,4}\.? \p{L}{2,5}\.? +\d+ \d\d:\d\d:\d\d \d{4}\] /u],
  ['clock', /^(?:\[\d\d:\d\d:\d\d(?:[.,]\d+)?\]:?(?: |$)|\d\d:\d\d:\d\d(?:[.,]\d+)?:? (?=[\S\t]))/],
];

/** They say nothing about the writer: quotation marks of mails, a tool's words for the two streams. */
const QUOTING = [
  /^(?:> ?)+/,
  /^│ ?/,
  /^ {0,4}["'`](?=[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )/,
  /^[\w.[\]"-]+ \((?:remote-exec|local-exec)\): /,
  /^Command Output: /,
  /^(?:std(?:out|err)|Error output|Output)(?:: | \| )/i,
  // minikube prints what kubeadm printed behind a head of its own.
  /^[IWEF]\d{4} [\d:.]+ +\d+ kubeadm\.go:\d+\] (?=\[|error execution|To (?:see|troubleshoot)|\t|Your |This |Unfortunately|If you are|A(?:dditionally, a)? control plane|Here is|$)/,
];

export function peel(raw: string): Peeled {
  let text = raw.length > MAX_LENGTH ? raw.slice(0, MAX_LENGTH) : raw;
  if (text.endsWith('\r')) text = text.slice(0, -1);
  // A progress bar overwrites its line; what is left on the screen is behind the last carriage return.
  if (text.includes('\r')) text = text.slice(text.lastIndexOf('\r') + 1);
  if (text.includes(ESCAPE)) text = text.replace(COLOURS, '');
  text = text.replace(CONTROL, '').replace(/(?<!\s)\s*│$/, '');
  const spaced = /\s$/.test(text);
  const whole = text.length;
  text = text.trimEnd();
  // A terminal may fill each line with blanks to its edge.
  const width = whole - text.length > 1 ? text.length : whole;
  const writers: string[] = [];
  let program: string | undefined;
  let time: LogTime | undefined;
  for (let round = 0; round < 4; round++) {
    text = withoutIndent(text);
    const named = firstMatch(NAMING, text);
    if (named !== undefined) {
      const { host = '', pid = '' } = named.groups ?? {};
      program = programName(named.groups?.program ?? '');
      writers.push(`${host}/${program}[${pid}]`);
      time ??= clockTime(named[0]);
      text = text.slice(named[0].length);
      // What that one put in front of the lines of others is its own text.
      break;
    }
    const bare = BARE.find(([, form]) => form.test(text));
    if (bare !== undefined) {
      const [head = ''] = bare[1].exec(text) ?? [];
      writers.push(bare[0]);
      time ??= clockTime(head);
      text = text.slice(head.length);
      continue;
    }
    const quote = firstMatch(QUOTING, text);
    if (quote === undefined) break;
    text = text.slice(quote[0].length);
  }
  // A tab in front of a finding, as a program's source or rsyslog has it.
  text = text.replace(/^(?:\\t|#011)(?=\[)/, '\t');
  const peeled: Peeled = { text, stream: writers.join(' '), width, spaced };
  if (program !== undefined) peeled.program = program;
  time ??= clockTime(text);
  if (time !== undefined) peeled.time = time;
  return peeled;
}

/**
 * Somebody has indented it or made a comment of it; behind the blanks with which a program begins a line stands no
 * logger's prefix.
 */
function withoutIndent(text: string): string {
  const rest = text.replace(/^\s*(?:\/\/|#)? */, '');
  if (rest === text) return text;
  return firstMatch(NAMING, rest)?.groups?.pid === undefined && !CONTAINER.test(rest) ? text : rest;
}

/** journald may give the unit instead of the program. */
function programName(name: string): string {
  if (name === 'init.scope') return 'systemd';
  return name.replace(/^.*\//, '').replace(/\.service$/, '');
}

function firstMatch(forms: readonly RegExp[], text: string): RegExpExecArray | undefined {
  for (const form of forms) {
    const match = form.exec(text);
    if (match !== null) return match;
  }
  return undefined;
}
