import type { Host } from '../../host/host.ts';
import { KubeadmError } from '../kubeadm-error.ts';
import { kubeadmVersion } from './real-kubeadm.ts';

/** Minor version of that kubeadm; undefined when it does not say, which its own run will explain. */
export async function kubeadmMinor(host: Host, path: string): Promise<number | undefined> {
  try {
    const { major, minor } = await kubeadmVersion(host, path);
    return major === 1 ? minor : undefined;
  } catch (error) {
    if (error instanceof KubeadmError) return undefined;
    throw error;
  }
}
