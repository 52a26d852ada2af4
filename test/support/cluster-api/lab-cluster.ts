import { randomBytes } from 'node:crypto';
import type { ControlPlane } from '../../lab/lab.ts';
import { makeCertificates } from './certificates.ts';
import type { ClusterData } from './user-data.ts';

const KUBERNETES = 'v1.20.2';

/** A cluster that its first control-plane machine will make at `ip`. */
export async function newCluster(ip: string): Promise<ClusterData> {
  return {
    name: 'lab',
    endpoint: `${ip}:6443`,
    kubernetesVersion: KUBERNETES,
    certificates: await makeCertificates(),
    token: `${randomBytes(3).toString('hex')}.${randomBytes(8).toString('hex')}`,
  };
}

/** The lab's control plane without containers, as Cluster API would describe it to a worker. */
export async function joinableCluster(controlPlane: ControlPlane): Promise<ClusterData> {
  return {
    name: 'lab',
    endpoint: controlPlane.endpoint,
    kubernetesVersion: KUBERNETES,
    certificates: { files: [], caCertHash: controlPlane.caCertHashes[0] ?? '' },
    token: await controlPlane.createToken(),
  };
}
