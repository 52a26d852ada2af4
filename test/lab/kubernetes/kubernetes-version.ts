/** The Kubernetes that Debian bookworm carries as source, so that it can always be built. */
export const DEBIAN_VERSION = 'v1.20.2';

/** What a directory of Kubernetes binaries must hold to serve the lab. */
export const KUBERNETES_PROGRAMS = [
  'kubeadm',
  'kubelet',
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
] as const;

/** What Debian's Kubernetes is built with; of a directory, `pause` may be missing, and `crictl` where kubeadm needs none. */
export const KUBERNETES_BINARIES = [...KUBERNETES_PROGRAMS, 'crictl', 'pause'] as const;

export type KubernetesBinary = (typeof KUBERNETES_BINARIES)[number];

/** What such a directory may hold beside them, to be used instead of Debian's. */
export const RUNTIME_PROGRAMS = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'] as const;
export const ETCD_PROGRAMS = ['etcd', 'etcdctl'] as const;
