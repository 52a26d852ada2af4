/** Turns kubeadm's output into progress messages as it comes. */
import { Redactor } from '../../../secrets/redact.ts';

/** A line that begins a phase, or belongs to one. */
const MARKER = /^\[([a-z][a-z0-9-]*(?:\/[a-z-]+)?)\] (\S.*)$/;

/**
 * What kubeadm is about, by phase. Its own lines are not told: some sound like an error on a healthy machine ("The system
 * verification failed" of a check that is ignored, a health check that is refused while the kubelet starts).
 */
const PHASES: Readonly<Record<string, string>> = {
  preflight: 'checking the machine',
  init: 'creating a control plane',
  discovery: 'finding the cluster',
  certs: 'creating certificates',
  'copy-certs': 'using the shared certificates',
  'download-certs': 'fetching the shared certificates',
  kubeconfig: 'writing kubeconfig files',
  patches: 'applying patches',
  'kubelet-start': 'setting up the kubelet and starting it',
  'kubelet-check': 'waiting until the kubelet is healthy',
  'kubelet-finalize': 'switching the kubelet to its own certificate',
  kubelet: 'storing the kubelet configuration in the cluster',
  'control-plane': 'writing static pods',
  'control-plane-check': 'waiting until the control plane is healthy',
  'wait-control-plane': 'waiting for the control plane',
  apiclient: 'waiting for the control plane',
  'check-etcd': 'checking whether etcd is healthy',
  etcd: 'setting up the etcd member',
  'upload-config': 'storing the configuration in the cluster',
  'upload-certs': 'storing the shared certificates in the cluster',
  'mark-control-plane': 'marking the node as a control plane',
  'bootstrap-token': 'setting up bootstrap tokens',
  addons: 'installing add-ons',
};

/** Lines that say more than their phase. */
const LINES: readonly (readonly [line: RegExp, words: string])[] = [
  [/^\[preflight\] Pulling images/, 'preflight: pulling images'],
  [
    /^\[kubelet-start\] Waiting for the kubelet to perform the TLS/,
    "kubelet-start: waiting for the kubelet's certificate",
  ],
  [/^\[kubelet-check\] The kubelet is healthy/, 'kubelet-check: the kubelet is healthy'],
  [
    /^\[kubelet-check\] The kubelet is not healthy after/,
    'kubelet-check: the kubelet has not become healthy in time',
  ],
  [/^\[control-plane-check\] ([a-z-]{1,40}) is healthy after/, 'control-plane-check: $1 is healthy'],
  [/^\[addons\] Applied essential addon: ([\w.-]{1,40})/, 'addons: installed $1'],
];

/** A phase that is not done is none. */
const SKIPPED = /^Skipping phase/;
const MAX = 200;
/** Only a control plane with an etcd of its own says it, and only in a join. */
const JOINS_ETCD = /^\[check-etcd\] Checking that the etcd cluster is healthy/;
/** From 1.32 on kubeadm says nothing more until the member may vote, for minutes where it does not come up. */
const ETCD_WRITTEN = /^\[etcd\] Creating static Pod manifest for "etcd"/;
/** What the etcd client within kubeadm logs of a call that it repeats: etcd's clientv3, 3.4 to 3.6. */
const ETCD_RETRY = /^\{"level":"warn",.*"msg":"retrying of unary invoker failed"/;

/**
 * Makes a reader of lines that answers with a message to tell, or undefined. It tells a line that comes twice
 * in a row once (the kubelet check repeats itself), and never a secret.
 */
export function progressReader(): (line: string, stream: 'stdout' | 'stderr') => string | undefined {
  const redactors = { stdout: new Redactor(), stderr: new Redactor() };
  let last = '';
  let joinsEtcd = false;
  return (line, stream) => {
    const clean = redactors[stream].line(line);
    if (clean === undefined) return undefined;
    if (stream === 'stdout') joinsEtcd ||= JOINS_ETCD.test(clean);
    const message = stream === 'stdout' ? ofStep(clean.trimEnd(), joinsEtcd) : ofEtcdClient(clean);
    if (message === undefined || message === last) return undefined;
    last = message;
    return message;
  };
}

function ofStep(line: string, joinsEtcd: boolean): string | undefined {
  const [, phase, text = ''] = MARKER.exec(line) ?? [];
  if (phase === undefined || SKIPPED.test(text)) return undefined;
  if (joinsEtcd && ETCD_WRITTEN.test(line))
    return 'etcd: waiting for the new etcd member to start and catch up';
  for (const [pattern, words] of LINES) {
    const match = pattern.exec(line);
    if (match) return words.replace('$1', match[1] ?? '');
  }
  const [first = ''] = phase.split('/');
  return `${phase}: ${Object.hasOwn(PHASES, first) ? PHASES[first] : 'kubeadm is in this phase'}`;
}

function ofEtcdClient(line: string): string | undefined {
  if (!ETCD_RETRY.test(line)) return undefined;
  const [, method = 'a request'] = /"method":"[^"]*\/(\w+)"/.exec(line) ?? [];
  const [, address] = /"target":"[^"]*\/([^"/]+)"/.exec(line) ?? [];
  const [, error = ''] = /"error":"((?:[^"\\]|\\.)*)"/.exec(line) ?? [];
  const why = error.replace(/^rpc error: code = \w+ desc = /, '').replace(/\\(.)/g, '$1');
  return `etcd: ${method}${address === undefined ? '' : ` at ${address}`} is retried: ${cut(why)}`;
}

const cut = (text: string): string => (text.length > MAX ? `${text.slice(0, MAX - 1)}…` : text);
