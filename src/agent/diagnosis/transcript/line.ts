/**
 * Lines of a log as a program wrote them, freed of what loggers and terminals put around them: colours, carriage
 * returns, journald's or the console's prefix, time stamps, the names that Terraform, Vagrant or compose put in front.
 */

export interface LogLine {
  /** Name of the file, as given by the user. */
  file: string;
  /** Counts from 1 in the file. */
  number: number;
  /** Without prefix, colours and line end. */
  text: string;
  /** The program that wrote it, where the prefix names it (`kubelet`, `systemd`, `cloud-init` ...). */
  program?: string;
}

/** Longer lines are cut: nothing that kubeadm says about a failure stands behind so many characters. */
const MAX_LENGTH = 16 * 1024;

const ESCAPE = String.fromCharCode(27);
const COLOURS = new RegExp(
  `${ESCAPE}(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^${ESCAPE}\\u0007]*(?:\\u0007|${ESCAPE}\\\\)?|[@-Z\\\\-_])`,
  'g',
);
const CONTROL = /[^\P{Cc}\t]/gu;

const STAMP = '\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?(?: ?(?:Z|UTC|[+-]\\d\\d:?\\d\\d))?';
const PROGRAM = '([\\w@.()/-]+?)(?:\\[\\d+\\])?: ?';

/** Prefixes that name the program: journald's short forms, syslog, the kernel's console. */
const WITH_PROGRAM = [
  new RegExp(`^[A-Z][a-z]{2} [ \\d]\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)? [\\w.-]+ ${PROGRAM}`),
  new RegExp(`^${STAMP} [\\w.-]+ ${PROGRAM}(?! )`),
  /^\d{10}\.\d{6} [\w.-]+ ([\w@.()/-]+?)(?:\[\d+\])?: ?/,
  /^\[ *\d+\.\d{4,6}\] (?:[\w.-]+ )?([\w@.()/-]+?)\[\d+\]: ?/,
];

/** Prefixes that are only in the way. */
const BARE = [
  // The container runtimes' log files.
  new RegExp(`^${STAMP} std(?:out|err) [FP] `),
  new RegExp(`^\\[?${STAMP}\\]?(?: \\| | - |: | )`),
  /^\[?\d\d:\d\d:\d\d(?:\.\d+)?\]?:? (?=\S)/,
  /^\[ *\d+\.\d{4,6}\] (?=\S)/,
  // Terraform's provisioners; kind.
  /^[\w.[\]"-]+ \((?:remote-exec|local-exec)\): /,
  /^Command Output: /,
  /^(?:std(?:out|err)|Error output|Output)(?:: | \| )/i,
];

/** Takes the prefixes off; the rest keeps its indentation, which tells kubeadm's findings and stack traces. */
export function cleanLine(raw: string): { text: string; program?: string } {
  let text = raw.length > MAX_LENGTH ? raw.slice(0, MAX_LENGTH) : raw;
  if (text.endsWith('\r')) text = text.slice(0, -1);
  // A progress bar overwrites its line; what is left on the screen is behind the last carriage return.
  if (text.includes('\r')) text = text.slice(text.lastIndexOf('\r') + 1);
  if (text.includes(ESCAPE)) text = text.replace(COLOURS, '');
  text = text.replace(CONTROL, '').trimEnd();
  let program: string | undefined;
  for (let round = 0; round < 3; round++) {
    const named = WITH_PROGRAM.map((prefix) => prefix.exec(text)).find((match) => match !== null);
    if (named) {
      program = named[1];
      text = text.slice(named[0].length);
      continue;
    }
    const bare = BARE.map((prefix) => prefix.exec(text)).find((match) => match !== null);
    if (!bare) break;
    text = text.slice(bare[0].length);
  }
  return program === undefined ? { text } : { text, program };
}

/** Sentences with which kubeadm begins a line; what stands in front of one is somebody else's prefix. */
const ANCHOR =
  /\[preflight\] Running pre-flight checks|\[init\] Using Kubernetes version: |To see the stack trace of this error execute with --v=5/;

/**
 * A prefix that is the same on many lines but in no list: learnt from what stands in front of kubeadm's own sentences.
 * Digits may differ. Undefined when there is none.
 */
export function learnPrefix(texts: readonly string[]): RegExp | undefined {
  for (const text of texts) {
    const match = ANCHOR.exec(text);
    if (match === null || match.index === 0 || match.index > 120) continue;
    const prefix = text.slice(0, match.index);
    // klog's own head ends with a bracket; a quoted or escaped text is no prefix.
    // A whole output that somebody has indented keeps its own indentation behind that.
    if (prefix.trim() === '') return new RegExp(`^${prefix.replaceAll('\t', '\\t')}`);
    if (/\.go:\d+\] $/.test(prefix) || /["'\\]/.test(prefix) || !/[\s:|>\])]$/.test(prefix)) continue;
    const escaped = prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\d+/g, '\\d+');
    return new RegExp(`^${escaped.replace(/ $/, '(?: |$)')}`);
  }
  return undefined;
}
