import type { Host } from '../../host/host.ts';
import { KubeadmError } from '../kubeadm-error.ts';
import { kubeadmVersion } from './real-kubeadm.ts';

/** Two steps want to know, and asking costs a process. */
const known = new WeakMap<Host, Map<string, number>>();

/** Minor version of that kubeadm; undefined when it does not say, which its own run will explain. */
export async function kubeadmMinor(host: Host, path: string): Promise<number | undefined> {
  const cache = known.get(host) ?? new Map<string, number>();
  known.set(host, cache);
  const before = cache.get(path);
  if (before !== undefined) return before;
  try {
    const { major, minor } = await kubeadmVersion(host, path);
    if (major !== 1) return undefined;
    cache.set(path, minor);
    return minor;
  } catch (error) {
    if (error instanceof KubeadmError) return undefined;
    throw error;
  }
}
