/**
 * kubeadm's exit status 0 is not yet a node: the kubelet may crash a second later, and a Node with another name or
 * provider ID looks to Cluster API exactly like a machine that failed.
 */
import { BACKOFF, backoffMs } from '../../kit/backoff.ts';
import { type Code, codes } from '../../protocol/codes/codes.ts';
import type { Failure } from '../../protocol/journal.ts';
import { redact } from '../../secrets/redact.ts';
import type { Host } from '../host/host.ts';
import { kubeletProblem } from './kubelet-health.ts';
import { KUBELET_KUBECONFIG, type KubeletIdentity, readKubeletIdentity } from './kubelet-identity.ts';
import { type NodeAnswer, readNode } from './read-node.ts';
import { ObjectChangeWaiter, ownNode } from './watch-object.ts';

/** What kubeadm's configuration says of the Node. */
interface WantedNode {
  /** The host name in lower case where absent. */
  nodeName?: string;
  providerId?: string;
  skipPhases: readonly string[];
}

export interface VerifySpec {
  config: WantedNode;
  /** Aborts at the deadline. */
  signal: AbortSignal;
  onProgress(message: string): void;
  /** How long things may take that kubeadm has seen done already, in milliseconds. */
  patienceMs?: number;
}

type Verdict =
  | { ok: true; nodeName?: string; warning?: { code: Code; message: string } }
  /** `final`: waiting longer, or kubeadm once more, would not change it. */
  | { ok: false; final: boolean; failure: Failure };

const PATIENCE_MS = 120_000;
/** A kubelet that dies meanwhile is to be told of. */
const LONGEST_PAUSE_MS = 2_000;

/**
 * What one look gave. `pending` may come right by itself; `unseen` too, and it says nothing about this machine. `asked`: as
 * whom the API server was asked, where it was.
 */
type Look =
  | { kind: 'good'; nodeName: string }
  | { kind: 'bad'; code: Code; cause: string }
  | { kind: 'pending' | 'unseen'; code: Code; cause: string; remedy?: string; asked?: KubeletIdentity };

/** Waits until the machine is the node that its configuration asks for, or until it is known that it will not be. */
export async function verifyNode(host: Host, spec: VerifySpec): Promise<Verdict> {
  // Somebody else starts the kubelet then, and when is not known here.
  if (spec.config.skipPhases.some((phase) => phase.startsWith('kubelet-start'))) return { ok: true };
  const { signal, patienceMs = PATIENCE_MS } = spec;
  let patience = patienceMs;
  let told = '';
  const alarm = new ObjectChangeWaiter(host, patienceMs, signal);
  try {
    for (let looks = 1; ; looks += 1) {
      const before = host.clock.monotonic();
      const look = await lookAtNode(host, spec);
      if (look.kind === 'good') return { ok: true, nodeName: look.nodeName };
      if (look.kind === 'bad') return verdict(look, true);
      if (signal.aborted) return verdict(look, false);
      if (look.cause !== told) spec.onProgress(`kubeadm is done; waiting: ${look.cause}`);
      told = look.cause;
      alarm.set(ownNode(look.asked));
      if (look.asked !== undefined) await alarm.pause(LONGEST_PAUSE_MS);
      else await host.clock.sleep(local(host, looks), signal).catch(() => undefined);
      patience -= host.clock.monotonic() - before;
      if (patience > 0) continue;
      // kubeadm itself has seen the Node; that it cannot be seen now is no proof against this machine.
      if (look.kind === 'unseen') return { ok: true, warning: { code: look.code, message: look.cause } };
      return verdict(look, true, look.code === 'KubeletUnhealthy' ? await lastWords(host) : []);
    }
  } finally {
    alarm.close();
  }
}

const local = (host: Host, looks: number): number => backoffMs(looks, BACKOFF.local, () => host.random());

async function lookAtNode(host: Host, { config }: VerifySpec): Promise<Look> {
  const trouble = await kubeletProblem(host);
  if (trouble !== undefined)
    return { kind: 'pending', code: 'KubeletUnhealthy', cause: `the kubelet is not healthy: ${trouble}` };
  const identity = await readKubeletIdentity(host);
  if (identity?.nodeName === undefined)
    return {
      kind: 'pending',
      code: 'NodeNotRegistered',
      cause: `${KUBELET_KUBECONFIG} has no node certificate yet`,
    };
  const { nodeName } = identity;
  const wanted = (config.nodeName ?? host.hostname()).trim().toLowerCase();
  if (nodeName !== wanted) {
    const cause = `this machine is the Node "${nodeName}", and its configuration sets "${wanted}"`;
    return { kind: 'bad', code: 'NodeNameWrong', cause };
  }
  const look = judge(await readNode(host, identity, nodeName), identity, nodeName, config.providerId);
  return look.kind === 'good' || look.kind === 'bad' ? look : { ...look, asked: identity };
}

function judge(
  answer: NodeAnswer,
  { server }: KubeletIdentity,
  nodeName: string,
  providerId: string | undefined,
): Look {
  switch (answer.kind) {
    case 'node':
      return judgeNode(nodeName, answer.node.providerId, providerId);
    case 'missing':
      return {
        kind: 'pending',
        code: 'NodeNotRegistered',
        cause: `the Node "${nodeName}" is not in the cluster`,
      };
    case 'unreachable': {
      const cause = `the API server ${server} cannot be reached to see the Node (${answer.problem})`;
      return { kind: 'unseen', code: 'ApiServerUnreachable', cause };
    }
    default:
      return refused(server, answer.status);
  }
}

function judgeNode(nodeName: string, providerId: string | undefined, wanted: string | undefined): Look {
  if (wanted === undefined || providerId === wanted) return { kind: 'good', nodeName };
  const code = 'NodeProviderIdWrong';
  if (providerId === undefined || providerId === '') {
    const cause = `the Node "${nodeName}" has no provider ID, and its configuration sets "${wanted}"`;
    return { kind: 'pending', code, cause };
  }
  const cause = `the Node "${nodeName}" has the provider ID "${providerId}", and its configuration sets "${wanted}"`;
  return { kind: 'bad', code, cause };
}

/** The bootstrap token has done its work by then. */
const SEE_CERTIFICATE =
  "Check that the kubelet's client certificate (kubelet-client-current.pem) is still valid and was signed by this cluster's CA.";

function refused(server: string, status: number): Look {
  const cause = `the API server ${server} answers with HTTP status ${status} to the request for the Node`;
  if (status === 401) return { kind: 'pending', code: 'CredentialsRejected', cause, remedy: SEE_CERTIFICATE };
  // An authorizer that does not let a kubelet read its own Node is unusual, but the node may work all the same.
  if (status === 403) return { kind: 'unseen', code: 'PermissionDenied', cause };
  return { kind: 'unseen', code: 'ApiServerUnavailable', cause };
}

function verdict(
  { code, cause, remedy = codes()[code].fix }: { code: Code; cause: string; remedy?: string },
  final: boolean,
  lines: string[] = [],
): Verdict {
  const text = `kubeadm succeeded, but ${cause}.`;
  const failure: Failure = { code, cause: text, remedy };
  return { ok: false, final, failure: lines.length > 0 ? { ...failure, lines } : failure };
}

async function lastWords(host: Host): Promise<string[]> {
  const argv: [string, ...string[]] = [
    'journalctl',
    '-u',
    'kubelet',
    '-n',
    '3',
    '-o',
    'cat',
    '--no-pager',
    '-q',
  ];
  const { exitStatus, stdout } = await host.processes.run({ argv, timeoutMs: 2_000 });
  return exitStatus === 0
    ? redact(stdout)
        .split('\n')
        .filter((line) => line !== '')
        .slice(-3)
    : [];
}
