import type { Host } from '../../host/host.ts';

const MANIFESTS = '/etc/kubernetes/manifests';
const REQUEST = /^ +ephemeral-storage: .*\n/m;
const MAX_BYTES = 1024 * 1024;

/**
 * A kubelet refuses a static pod once and for all, and does so with etcd of kubeadm up to 1.21, which asks for storage, while its
 * Node does not show any yet (kubernetes/kubernetes#99305). kubeadm has told the cluster of the new member by then, and waits for
 * it in vain. Without the request, as kubeadm has written it since, the manifest is another one to the kubelet, which admits it.
 * A kubelet that is started again does so only where its Node shows the storage meanwhile, or cannot be read.
 */
export function withoutStorageRequest(
  host: Host,
  onProgress: (message: string) => void,
): (refused: string) => void {
  let busy = false;
  const mend = async (refused: string): Promise<void> => {
    const path = `${MANIFESTS}/${refused}.yaml`;
    const manifest = (await host.files.readIfPresent(path, MAX_BYTES))?.toString('utf8') ?? '';
    if (!REQUEST.test(manifest)) return;
    onProgress(
      `the kubelet refuses the static pod ${refused} for lack of storage, which a new Node does not report yet; removing the storage request from ${path}`,
    );
    await host.files.write(path, manifest.replace(REQUEST, ''), { mode: 0o600 });
  };
  return (refused) => {
    if (busy) return;
    busy = true;
    // What cannot be read or written is kubeadm's to complain of.
    void mend(refused)
      .catch(() => undefined)
      .finally(() => {
        busy = false;
      });
  };
}
