import { homeDirectories } from '../host/home-directories.ts';
import { type Host, HostError } from '../host/host.ts';

const ADMIN = ['/etc/kubernetes/admin.conf', '/etc/kubernetes/super-admin.conf'];
/** kubeadm writes some 6 KiB. */
const MOST_BYTES = 1024 * 1024;

/** People's copies of this cluster's admin.conf; kubeadm tells them to make some. Others stay out. */
export async function copiedKubeconfigs(host: Host): Promise<string[]> {
  const originals: Buffer[] = [];
  for (const path of ADMIN) {
    const bytes = await host.files.readIfPresent(path, MOST_BYTES);
    if (bytes !== undefined) originals.push(bytes);
  }
  const found: string[] = [];
  for (const path of await kubeconfigPaths(host)) {
    const bytes = await ifReadable(host.files.readIfPresent(path, MOST_BYTES));
    if (bytes !== undefined && originals.some((original) => original.equals(bytes))) found.push(path);
  }
  return found;
}

/** The kubeconfig paths of root and of the users in /home that exist, whatever is there. */
export async function presentKubeconfigs(host: Host): Promise<string[]> {
  const found: string[] = [];
  for (const path of await kubeconfigPaths(host))
    if ((await ifReadable(host.files.stat(path))) !== undefined) found.push(path);
  return found;
}

async function kubeconfigPaths(host: Host): Promise<string[]> {
  return (await homeDirectories(host)).map((home) => `${home}/.kube/config`);
}

/**
 * A home belongs to its user, who may put a pipe, a device, a loop of links or an endless file there. Such a path holds no copy
 * of admin.conf, and it must not stop the reset.
 */
async function ifReadable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
