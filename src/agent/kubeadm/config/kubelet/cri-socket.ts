/** Where kubeadm looks for a container runtime by default. */
export const DEFAULT_SOCKETS = [
  '/run/containerd/containerd.sock',
  '/run/crio/crio.sock',
  '/run/cri-dockerd.sock',
] as const;

/**
 * The path of a `criSocket`, which is a URL or a path; kubeadm and the kubelet read the URL, so that `unix:/run/x` is as good as
 * `unix:///run/x`. What is neither comes back as it is.
 */
export function socketPath(criSocket: string): string {
  return criSocket.replace(/^unix:(?:\/\/)?(?=\/)/, '');
}
