/** What client-go and an exec plugin say to each other (client.authentication.k8s.io). */
import type { KubeletCredential } from '../cluster/kubelet-credential.ts';

const GROUP = 'client.authentication.k8s.io';
/** Kubernetes 1.22 and newer know v1; 1.20 refuses whoever answers with it. */
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`];

/** Has the caller's version, which the answer must have. */
export const EXEC_INFO = 'KUBERNETES_EXEC_INFO';

/**
 * The version in which to answer.
 *
 * @param text of the variable `KUBERNETES_EXEC_INFO`; nothing else in it is looked at, because anybody can set it
 * @returns undefined where it is none that we speak
 */
export function requestedVersion(text: string | undefined): string | undefined {
  try {
    const { kind, apiVersion } = JSON.parse(text ?? '');
    return kind === 'ExecCredential' ? VERSIONS.find((version) => version === apiVersion) : undefined;
  } catch {
    return undefined;
  }
}

/** @param until milliseconds since 1970, when to ask again */
export function execCredentialResponse(
  apiVersion: string,
  { certificate, key }: KubeletCredential,
  until: number,
): string {
  const status = {
    // client-go reads whole seconds.
    expirationTimestamp: new Date(until).toISOString().replace(/\.\d+/, ''),
    clientCertificateData: certificate,
    clientKeyData: key,
  };
  return `${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}\n`;
}

/** The version for a kubeconfig that a kubelet of 1.`minor` reads. */
export function execApiVersion(minor: number): string {
  return `${GROUP}/${minor >= 22 ? 'v1' : 'v1beta1'}`;
}
