/**
 * Other programs print steps and errors that look like kubeadm's: `[init] starting agent`, `[ERROR Disk]: ...`, `error
 * execution phase deploy`. Which attempts are kubeadm's is known by the sentences that no other program has, and by what
 * stands with them in one stream.
 */
import type { LogLine } from './line.ts';
import {
  CHECKS,
  FATAL_FINDINGS,
  FINDING,
  GAVE_UP,
  HINT,
  KLOG,
  OWN_ERROR,
  PHASES,
  SUCCESS,
  UNHEALTHY,
} from './sentences.ts';

/** Steps whose names are kubeadm's alone, and of the others how their sentences begin, 1.11 to 1.36. */
const STEP =
  /^\[(?:(?:kubelet-\w+|control-plane(?:-\w+)?|wait-control-plane|apiclient|upload-\w+|mark-control-plane|bootstrap-token|download-certs|check-etcd|api-check|patchnode)(?:-\w+)*\] |init\] Using Kubernetes |preflight\] (?:[Rr]unning |Pulling |This might |You can also |Reading configuration |FYI: |If you know |Some fatal |Use 'kubeadm |The system verif|WARNING: |found )|certs\] (?:Using |Generat|External |Valid |\S+ serving cert )|kubeconfig\] (?:Using |Writing |External |Generating )|etcd\] (?:Creating |Announced |Adding |Checking etcd |Waiting for (?:the|a) |Promoting |External etcd )|addons\] (?:Applied |Migrating )|discovery\] (?:Trying |Created |Requesting |Cluster info |Successfully |Waiting |The |Using |Failed |Retrying )|kubelet\] (?:Creating |Downloading |Writing )|patches\] |endpoint\] WARNING)/;
/** From 1.34 on it says "error" twice. */
const PHASE = new RegExp(
  `^\\W*(?:error: error execution phase |error execution phase (?:${PHASES})[/:\\s-])`,
);
const LAST_PHASE = new RegExp(`error execution phase (?:${PHASES})[\\w/-]*\\W*$`);
const CHECK = new RegExp(`^\\W*\\[?(?:ERROR|WARNING) (?:${CHECKS})[\\w./-]*\\]: `);
const KLOG_STEP = /\] \[(?:preflight|kubelet-start|discovery|control-plane|certs|wait-control-plane)\]/;

/** Does it say by itself that kubeadm wrote it? */
export const isCertain = ({ text, program }: LogLine): boolean =>
  program === 'kubeadm' ||
  STEP.test(text) ||
  PHASE.test(text) ||
  LAST_PHASE.test(text) ||
  (FINDING.test(text) && CHECK.test(text)) ||
  [OWN_ERROR, HINT, SUCCESS, FATAL_FINDINGS, GAVE_UP, UNHEALTHY].some((own) => own.test(text)) ||
  (KLOG.test(text) && KLOG_STEP.test(text));

/** What is known of an attempt. */
interface Run {
  output: readonly LogLine[];
  error: readonly LogLine[];
  first: LogLine;
}

/** The attempts of which something says that they are kubeadm's. */
export function certainAttempts<T extends Run>(attempts: readonly T[]): T[] {
  const certain = attempts.filter(({ output, error }) => [...error, ...output].some(isCertain));
  const whole = certain.filter(isWhole);
  return certain.filter((attempt) => isWhole(attempt) || !whole.some((other) => isBeside(attempt, other)));
}

/** It is more than an error's line. */
const isWhole = ({ output, error }: Run): boolean =>
  output.some(({ text }) => STEP.test(text)) || error.some(({ text }) => HINT.test(text));

/** Where another program's stream has a whole run, one that repeats an error of kubeadm's only speaks of it. */
const isBeside = ({ first: { program } }: Run, { first: other }: Run): boolean =>
  program !== undefined && program !== 'kubeadm' && program !== other.program;
