/** The kubelet's key and certificate where its kubeconfig names `slipway credential` and holds none. */
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { CREDENTIAL_DIR } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

const FILE = `${CREDENTIAL_DIR}/kubelet.json`;
const MAX_BYTES = 256 * 1024;

export interface KubeletCredential {
  /** PEM, with what the signer put after it. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

/** The Node and the cluster that a certificate is for; it is of no use in another one. */
export interface CredentialOwner {
  readonly nodeName: string;
  /** PEM of the cluster's authorities. */
  readonly ca: string | undefined;
}

/** Undefined where there is none, its parts do not fit together, or it is another one's. Whether it has expired is not looked at. */
export async function readKubeletCredential(
  host: Host,
  owner: Omit<CredentialOwner, 'nodeName'> & { nodeName?: string },
): Promise<KubeletCredential | undefined> {
  const text = (await host.files.readIfPresent(FILE, MAX_BYTES))?.toString('utf8');
  if (text === undefined) return undefined;
  try {
    const { nodeName, cluster, certificate, key } = JSON.parse(text);
    if (cluster !== clusterOf(owner) || nodeName !== (owner.nodeName ?? nodeName)) return undefined;
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return undefined;
    return { certificate, key };
  } catch {
    // A torn file counts as none: another certificate is asked for.
    return undefined;
  }
}

/** Has it ever got one, whatever has become of it? @throws HostError */
export const hasKubeletCredential = async (host: Host): Promise<boolean> =>
  (await host.files.stat(FILE)) !== undefined;

/** Readable by root alone, key and certificate at once. @throws HostError */
export async function writeKubeletCredential(
  host: Host,
  owner: CredentialOwner,
  { certificate, key }: KubeletCredential,
): Promise<void> {
  await host.files.mkdir(CREDENTIAL_DIR, 0o700);
  const kept = { nodeName: owner.nodeName, cluster: clusterOf(owner), certificate, key };
  await host.files.write(FILE, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
}

/** Which cluster it is, by its authorities. */
export function clusterOf({ ca }: Pick<CredentialOwner, 'ca'>): string {
  return createHash('sha256')
    .update(ca ?? '')
    .digest('hex');
}
