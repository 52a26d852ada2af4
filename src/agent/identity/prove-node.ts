import { sign, X509Certificate } from 'node:crypto';
import { type NodeProof, nodeProofText } from '../../protocol/enrolment.ts';
import { readKubeletIdentity } from '../cluster/kubelet-identity.ts';
import { type Host, HostError } from '../host/host.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Shows by the kubelet's key that this machine is a Node.
 *
 * @param csr the certificate request that it is for, in PEM
 * @param channel names the connection to the controller (RFC 9266)
 * @returns undefined where the kubelet has no certificate, or none of an authority in its kubeconfig
 */
export async function proveNode(
  host: Host,
  csr: string,
  channel: Uint8Array,
): Promise<NodeProof | undefined> {
  try {
    const identity = await readKubeletIdentity(host);
    if (identity?.nodeName === undefined) return undefined;
    const own = new X509Certificate(identity.certificate);
    const authority = (identity.ca?.match(CERTIFICATES) ?? [])
      .map((pem) => new X509Certificate(pem))
      .find((one) => own.checkIssued(one));
    if (authority === undefined) return undefined;
    return {
      certificate: own.raw,
      authority: authority.raw,
      signature: sign('sha256', nodeProofText(csr, channel), identity.key),
    };
  } catch (error) {
    // Half written, or damaged: then it proves nothing, and the controller says what it wants.
    if (error instanceof HostError || isCryptoError(error)) return undefined;
    throw error;
  }
}

function isCryptoError(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code.startsWith('ERR_');
}
