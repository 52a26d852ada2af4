import type { ClusterCertificates } from './certificates.ts';

/** What user data tells of its cluster. */
export interface ClusterData {
  name: string;
  /** `host:port` of the control plane. */
  endpoint: string;
  kubernetesVersion: string;
  certificates: ClusterCertificates;
  /** Bootstrap token. */
  token: string;
}
