import { homes } from '../host/homes.ts';
import type { Host } from '../host/host.ts';

const ADMIN = ['/etc/kubernetes/admin.conf', '/etc/kubernetes/super-admin.conf'];

/** People's copies of this cluster's admin.conf; kubeadm tells them to make some. Others stay out. */
export async function copiedKubeconfigs(host: Host): Promise<string[]> {
  const originals: Buffer[] = [];
  for (const path of ADMIN) {
    const bytes = await host.files.readIfPresent(path);
    if (bytes !== undefined) originals.push(bytes);
  }
  const found: string[] = [];
  for (const path of await kubeconfigPaths(host)) {
    const bytes = await host.files.readIfPresent(path);
    if (bytes !== undefined && originals.some((original) => original.equals(bytes))) found.push(path);
  }
  return found;
}

/** The kubeconfig paths of root and of the users in /home. */
export async function kubeconfigPaths(host: Host): Promise<string[]> {
  return (await homes(host)).map((home) => `${home}/.kube/config`);
}
