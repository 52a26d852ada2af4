/**
 * Other programs print steps and errors that look like kubeadm's: `[init] starting agent`, `[ERROR Disk]: ...`, `error
 * execution phase deploy`. Which attempts are kubeadm's is known by the sentences that no other program has, and by what
 * stands with them in one stream.
 */
import { CHECK_NAME } from '../patterns/output.ts';
import type { LogLine } from './line.ts';
import {
  CHECKS,
  FATAL_FINDINGS,
  FINDING,
  HINT,
  KLOG,
  KUBEADM_FRAME,
  NO_MEMBER,
  OWN_ERROR,
  OWN_REQUEST,
  PHASES,
  SUCCESS,
  UNHEALTHY,
  WENT_WELL,
} from './sentences.ts';

/** How the sentences of its steps begin, 1.11 to 1.36. */
const SENTENCES: Record<string, string> = {
  init: 'Using Kubernetes version',
  preflight:
    "Running (?:pre-flight|general|configuration)|Pulling images required|This might take a minute|You can also perform|Reading configuration from|FYI: You can look|If you know what you|Some fatal errors|Use 'kubeadm |The system verification failed|WARNING: Couldn't",
  certs:
    'Using (?:certificateDir|(?:the )?existing) |Generat(?:ing|ed) |External (?:etcd|CA) |Valid certificates|\\S+ serving cert is signed',
  kubeconfig: 'Using (?:kubeconfig folder|existing)|Writing "|Wrote |External CA|Generating kubeconfig',
  'kubelet-start':
    'Writing kubelet |Starting the kubelet|Waiting for the kubelet|Downloading configuration|Activating the|Stopping the|WARNING: unable to',
  'kubelet-check':
    'Initial timeout of|It seems like the kubelet|The HTTP call equal|Waiting for a healthy kubelet|The kubelet is (?:not )?healthy',
  'control-plane': 'Using manifest folder|Creating static Pod',
  etcd: 'Creating static Pod|Announced new etcd|Wrote Static Pod|Waiting for (?:the|a) |Checking etcd cluster|Promoting |External etcd|Adding etcd member|The learner was',
  'wait-control-plane': 'Waiting for the kubelet',
  apiclient: 'All control plane components',
  'control-plane-check': 'Waiting for healthy control|Checking kube-|kube-\\S+ is (?:not )?healthy',
  'api-check': 'Waiting for a healthy API|The API server is (?:not )?healthy',
  'upload-config': 'Storing the configuration|Uploading the ',
  'upload-certs': 'Skipping phase|Storing the certificates|Using certificate key',
  'mark-control-plane': 'Marking the node',
  'bootstrap-token': 'Using token|Configur(?:ing|ed) |Creating the "cluster-info"',
  'kubelet-finalize': 'Updating "',
  addons: 'Applied essential|Migrating CoreDNS',
  kubelet: 'Creating a ConfigMap|Downloading configuration|Writing kubelet',
  discovery:
    'Trying to connect|Created cluster-info|Requesting info|Cluster info signature|Successfully established|Failed to (?:connect|request)|Waiting for the cluster-info',
  'download-certs': 'Downloading the certificates|Saving the certificates',
  'check-etcd': 'Checking that the etcd|Skipping etcd',
  patches: 'Reading patches|Applied patch|Found the following|Ignor',
  endpoint: 'WARNING: port specified',
  patchnode: 'Uploading ',
};
/** The beginning of an excerpt that was cut within the name of its first step: `eck] The HTTP call equal ...`. */
export function withStep(text: string): string {
  const rest = /^[a-z-]{0,20}\] /.exec(text)?.[0];
  if (rest === undefined) return text;
  const said = text.slice(rest.length);
  const step = Object.entries(SENTENCES).find(
    ([name, sentences]) => `[${name}] `.endsWith(rest) && new RegExp(`^(?:${sentences})`).test(said),
  );
  return step === undefined ? text : `[${step[0]}] ${said}`;
}

const STEP = new RegExp(
  `^\\[(?:${Object.entries(SENTENCES)
    .map(([name, sentences]) => `${name}\\] (?:${sentences})`)
    .join('|')})`,
);
/** From 1.34 on it says "error" twice. */
const PHASE = new RegExp(
  `^\\W*(?:error: error execution phase |error execution phase (?:${PHASES})(?:[/:\\s]|$))`,
);
const LAST_PHASE = new RegExp(`error execution phase (?:${PHASES})(?:/[\\w/-]*)?\\W*$`);
const CHECK = new RegExp(`^\\W*\\[?(?:ERROR|WARNING) (?=${CHECKS})${CHECK_NAME}\\]: `);
const KLOG_STEP =
  /\] (?:\[(?:preflight|kubelet-start|discovery|control-plane|certs|wait-control-plane)\]|\[etcd\] (?:Promoting (?:a|the) learner|Adding etcd member))/;

/** Other programs that are named, and have no cluster to configure, say these too. */
const COMMON = /(?:error: )?unable to (?:read config from "(?![^"]*kube)|select an IP)|^\s*Get "?https:/;

/** Does it say by itself that kubeadm wrote it? */
export const isCertain = ({ text, program }: LogLine): boolean =>
  program === 'kubeadm' || (saysSo(text) && !(program !== undefined && COMMON.test(text)));

/** Of what it waited for in vain. */
const LIKELY =
  /^\s*- The kubelet is (?:not running$|unhealthy due to a misconfiguration of the node)|^\s*(?:Additionally, a|A) control plane component may have crashed or exited when started by the container runtime/;

const saysSo = (text: string): boolean =>
  STEP.test(text) ||
  PHASE.test(text) ||
  LAST_PHASE.test(text) ||
  (FINDING.test(text) && CHECK.test(text)) ||
  [
    OWN_ERROR,
    OWN_REQUEST,
    HINT,
    SUCCESS,
    FATAL_FINDINGS,
    UNHEALTHY,
    KUBEADM_FRAME,
    NO_MEMBER,
    LIKELY,
    WENT_WELL,
  ].some((own) => own.test(text)) ||
  (KLOG.test(text) && KLOG_STEP.test(text));

/** What is known of an attempt. */
interface Run {
  output: readonly LogLine[];
  error: readonly LogLine[];
  first: LogLine;
}

/** The attempts of which something says that they are kubeadm's. */
export function certainAttempts<T extends Run>(attempts: readonly T[]): T[] {
  const certain = attempts.filter(
    (run) => [...run.error, ...run.output].some(isCertain) && !isLoneFinding(run) && !isAlike(run),
  );
  const trusted = certain.filter((run) => isWhole(run) || LAUNCHES.test(run.first.program ?? 'kubeadm'));
  const programs = [...new Map(trusted.map((run) => [run.first.program, run])).values()];
  return certain.filter((run) => isWhole(run) || !programs.some((other) => isBeside(run, other)));
}

/** What runs kubeadm on a machine, as far as a log names it. */
const LAUNCHES = /kubeadm|^cloud-(?:init|final)$/;

/** Others have taken over how kubeadm sums up its findings, for checks of their own. */
function isAlike({ output, error }: Run): boolean {
  const said = [...error, ...output];
  const findings = said.filter(({ text }) => FINDING.test(text));
  return (
    findings.length > 0 &&
    !findings.some(({ text }) => CHECK.test(text)) &&
    said.every((line) => SUMMARY.test(line.text) || !isCertain(line))
  );
}
const SUMMARY = /^\s*\[preflight\] (?:Some fatal errors occurred|If you know what you)/;

/** One finding alone, by a program that is named and does not run kubeadm: others have checks of ports and files too. */
function isLoneFinding({ first, output, error }: Run): boolean {
  if (first.program === undefined || LAUNCHES.test(first.program)) return false;
  const said = [...error, ...output].filter(isCertain);
  return new Set(said.map(({ text }) => text)).size === 1 && said.every(({ text }) => FINDING.test(text));
}

/** An error alone, by a program that is named and does not run kubeadm: it may only speak of what it has read. */
export const isHearsay = (run: Run): boolean =>
  run.first.program !== undefined && !LAUNCHES.test(run.first.program) && !isWhole(run);

/** It is more than an error's line. */
const isWhole = ({ output, error }: Run): boolean =>
  output.some(({ text }) => STEP.test(text)) || error.some(({ text }) => HINT.test(text));

/** Where a run or what runs kubeadm is in the log, another program that repeats an error only speaks of it. */
const isBeside = ({ first: { program } }: Run, { first: other }: Run): boolean =>
  program !== undefined && !LAUNCHES.test(program) && program !== other.program;
