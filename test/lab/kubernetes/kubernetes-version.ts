/** The Kubernetes of the lab: the one that Debian bookworm carries as source, so that it can always be built. */
export const KUBERNETES_VERSION = 'v1.20.2';

/** What a directory of Kubernetes binaries must hold to serve the lab. */
export const KUBERNETES_BINARIES = [
  'kubeadm',
  'kubelet',
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'crictl',
  'pause',
] as const;

export type KubernetesBinary = (typeof KUBERNETES_BINARIES)[number];

/** Images that kubeadm of this version asks for, and the version tags it asks with. */
export const IMAGES = {
  pause: 'k8s.gcr.io/pause:3.2',
  etcd: 'k8s.gcr.io/etcd:3.4.13-0',
  coredns: 'k8s.gcr.io/coredns:1.7.0',
  component: (name: string) => `k8s.gcr.io/${name}:${KUBERNETES_VERSION}`,
} as const;
