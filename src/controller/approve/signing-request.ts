import type { KubeObject } from '../kube/objects.ts';

/** The parts of a CertificateSigningRequest (certificates.k8s.io/v1) that we use. */
export interface SigningRequest extends KubeObject {
  spec: {
    /** PEM in base64. */
    request: string;
    signerName: string;
    usages?: string[];
    /** Who asked, as the API server knows it. */
    username?: string;
    groups?: string[];
    expirationSeconds?: number;
  };
  status?: {
    certificate?: string;
    conditions?: SigningCondition[];
  };
}

export interface SigningCondition {
  type: 'Approved' | 'Denied' | 'Failed';
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
}

/** What the certificate is for: the kubelet as a client of the API server, or as a server. */
export type Use = 'client' | 'serving';

/** The two signers whose requests are looked at. */
const USES: Readonly<Record<string, Use>> = {
  'kubernetes.io/kube-apiserver-client-kubelet': 'client',
  'kubernetes.io/kubelet-serving': 'serving',
};

export const COLLECTION = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

export function useOf({ spec }: SigningRequest): Use | undefined {
  return Object.hasOwn(USES, spec.signerName) ? USES[spec.signerName] : undefined;
}

/** Where it stands: nobody has decided, approved and not signed yet, or over. */
export function stateOf({ status }: SigningRequest): 'open' | 'approved' | 'over' {
  const said = (status?.conditions ?? []).map(({ type }) => type);
  if (status?.certificate || said.includes('Denied') || said.includes('Failed')) return 'over';
  return said.includes('Approved') ? 'approved' : 'open';
}
