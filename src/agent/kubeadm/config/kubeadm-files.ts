/** What kubeadm writes below /etc/kubernetes, by its name. */

const PKI = '/etc/kubernetes/pki';
const pair = (name: string): string[] => [`${PKI}/${name}.crt`, `${PKI}/${name}.key`];

/** Everything that kubeadm writes below /etc/kubernetes, by name; nothing else there is ever removed. */
export const KUBEADM_FILES = [
  ...[
    'ca',
    'apiserver',
    'apiserver-kubelet-client',
    'front-proxy-ca',
    'front-proxy-client',
    'apiserver-etcd-client',
  ].flatMap(pair),
  ...['etcd/ca', 'etcd/server', 'etcd/peer', 'etcd/healthcheck-client'].flatMap(pair),
  `${PKI}/sa.pub`,
  `${PKI}/sa.key`,
  ...['admin', 'super-admin', 'bootstrap-kubelet', 'kubelet', 'controller-manager', 'scheduler'].map(
    (name) => `/etc/kubernetes/${name}.conf`,
  ),
  ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'].map(
    (name) => `/etc/kubernetes/manifests/${name}.yaml`,
  ),
];
