/** Explains by one request of our own to the API server: name, network, TLS, health, clock, and the tokens it knows. */
import type { ApiServerView, Evidence } from '../evidence/evidence.ts';
import type { Diagnosis } from '../patterns/pattern.ts';
import type { KubeadmFailure } from '../words/classify.ts';

/** A clock that differs less than this breaks no certificate. */
const CLOCK_TOLERANCE = 60;

/** One that differs more breaks certificates that were just made, and tokens. */
const CLOCK_BREAKS = 1_800;

/** What this run of the agent knows of its bootstrap token. */
export interface TokenSight {
  /** The public half of the bootstrap token. */
  tokenId?: string | undefined;
  /** In this run of the agent, the cluster once accepted the token. */
  tokenWasKnown?: boolean | undefined;
}

export function explainDiscovery(
  base: KubeadmFailure,
  evidence: Evidence,
  { tokenId, tokenWasKnown }: TokenSight,
): Diagnosis | undefined {
  const view = evidence.apiServer;
  if (base.code === 'ClockWrong') return clock(base, view);
  if (base.code === 'TokenUnknown' || base.code === 'CredentialsRejected') {
    return token(base, view, tokenId, tokenWasKnown === true);
  }
  return explainApiServer(base, evidence);
}

/** Which of the four steps to an API server fails now, if kubeadm did not say. */
export function explainApiServer(base: KubeadmFailure, { apiServer: view }: Evidence): Diagnosis | undefined {
  if (view === undefined) return undefined;
  const at = `The API server at ${view.endpoint}`;
  const { evidence } = base;
  if (view.failing?.some((check) => /^etcd\b/.test(check))) {
    return {
      code: 'EtcdUnhealthy',
      cause: `The server at ${view.endpoint} reports that it is not ready because these checks fail: ${view.failing.join(', ')}. It had not yet proved to be the API server.`,
      remedy:
        'Check etcd on the control planes of the cluster (its static pod and its log), and check that the control plane endpoint leads to them.',
      evidence,
    };
  }
  if (base.facts?.saysHow) return undefined;
  // Hours make every certificate out of its time, whatever stands in front of the API server.
  if (Math.abs(view.clockAhead ?? 0) >= CLOCK_BREAKS) return clock(base, view);
  if (view.failedAt === 'dns') {
    return { code: 'ApiServerNameUnresolved', cause: `${at} cannot be reached: ${view.problem}.`, evidence };
  }
  if (view.failedAt === 'tcp') {
    return { code: 'ApiServerUnreachable', cause: `${at} cannot be reached: ${view.problem}.`, evidence };
  }
  if (view.failedAt === 'mute') {
    return {
      code: 'ApiServerUnavailable',
      cause: `${at} accepts connections but never answers the TLS handshake.`,
      remedy:
        "Check that a load balancer in front of it has a healthy API server behind it. If it has, large packets are probably dropped on the way: set the MTU of this machine's interface to the smallest one on the path (ip link; tunnels, VPNs and clouds have less than 1500).",
      evidence,
    };
  }
  if (view.failedAt === 'tls') {
    return {
      code: 'ApiServerUnavailable',
      cause: `${at} accepts connections, but TLS fails: ${view.problem}.`,
      remedy:
        'Check that a load balancer in front of it has a healthy API server behind it and passes TLS through.',
      evidence,
    };
  }
  if (view.status !== undefined && view.status >= 500) {
    return {
      code: 'ApiServerUnavailable',
      cause: `${at} answers with HTTP status ${view.status}.`,
      evidence,
    };
  }
  return undefined;
}

function clock(base: KubeadmFailure, view: ApiServerView | undefined): Diagnosis | undefined {
  const ahead = view?.clockAhead;
  if (ahead === undefined) return undefined;
  const { evidence } = base;
  if (Math.abs(ahead) < CLOCK_TOLERANCE) {
    return {
      code: base.facts?.ofApiServer ? 'ApiServerCertificateInvalid' : 'CertificateInvalid',
      cause: `${base.cause.replace(/\.$/, '')}; the clock of this machine agrees with the API server's, so the certificate itself is the problem.`,
      remedy:
        'Run kubeadm certs check-expiration on a control plane and renew what has expired. kubeadm certs renew all does not renew CAs or kubelet certificates.',
      persistence: 'until-deadline',
      evidence,
    };
  }
  const how = ahead > 0 ? 'ahead of' : 'behind';
  return {
    code: 'ClockWrong',
    cause: `The clock of this machine is ${inWords(Math.abs(ahead))} ${how} the API server's.`,
    evidence,
  };
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} minutes`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} hours` : `${Math.round(seconds / 86_400)} days`;
}

/**
 * kubeadm prints the same of a token that never was and of one that has expired. The cluster signs cluster-info with each
 * token that is valid now: so a token that signs was only late, one that was seen to be known before has expired.
 */
function token(
  base: KubeadmFailure,
  view: ApiServerView | undefined,
  id: string | undefined,
  wasKnown: boolean,
): Diagnosis | undefined {
  const signers = view?.clusterInfo?.signedBy;
  const name = id === undefined ? 'The bootstrap token' : `The bootstrap token with the id ${id}`;
  const { evidence } = base;
  if (signers === undefined) return undefined;
  const signs = id !== undefined && signers.includes(id);
  if (base.code === 'CredentialsRejected') {
    if (signs || id === undefined) return undefined;
    return {
      code: 'TokenExpired',
      cause: `${name} has expired: the cluster no longer signs with it.`,
      evidence,
    };
  }
  if (signs) {
    return {
      code: 'TokenUnknown',
      cause: `${name} was unknown to the cluster at first and is known now: it was created late.`,
      remedy: 'Nothing to do: Slipway retries.',
      persistence: 'transient',
      evidence,
    };
  }
  if (wasKnown) {
    return {
      code: 'TokenExpired',
      cause: `${name} was known to the cluster and no longer is: it has expired.`,
      evidence,
    };
  }
  if (signers.length === 0) {
    return {
      code: 'TokenUnknown',
      cause: `${name} does not sign cluster-info, and neither does any other token: all have expired or lack usage-bootstrap-signing, or the token controllers are not running.`,
      evidence,
    };
  }
  return {
    code: 'TokenUnknown',
    cause: `${name} does not sign cluster-info, although ${signers.length} other${signers.length === 1 ? ' does' : 's do'}: it was never created there, has expired, or may not sign (its Secret has no usage-bootstrap-signing).`,
    evidence,
  };
}
