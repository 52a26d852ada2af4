import { randomBytes } from 'node:crypto';
import { kubernetesRelease } from '../../lab/kubernetes/kubernetes.ts';
import type { ControlPlane } from '../../lab/lab.ts';
import { makeCertificates } from './certificates.ts';
import type { ClusterData } from './cluster-data.ts';

/** A cluster that its first control-plane machine will make at `ip`. */
export async function newCluster(ip: string, name = 'lab'): Promise<ClusterData> {
  return {
    name,
    endpoint: `${ip}:6443`,
    kubernetesVersion: (await kubernetesRelease()).version,
    certificates: await makeCertificates(),
    token: `${randomBytes(3).toString('hex')}.${randomBytes(8).toString('hex')}`,
  };
}

/** The lab's control plane without containers, as Cluster API would describe it to a worker. */
export async function joinableCluster(controlPlane: ControlPlane): Promise<ClusterData> {
  return {
    name: 'lab',
    endpoint: controlPlane.endpoint,
    kubernetesVersion: (await kubernetesRelease()).version,
    certificates: { files: [], caCertHash: controlPlane.caCertHashes[0] ?? '' },
    token: await controlPlane.createToken(),
  };
}
