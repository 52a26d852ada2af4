import { existsSync } from 'node:fs';
import { GATEWAY } from '../host/switch.ts';
import { fastKeys, hasInsecurePort, type Release } from '../kubernetes/release.ts';

export const ENDPOINT = `${GATEWAY}:6443`;

/** The name that kubeadm's configuration gives to a node that does not exist here. */
export const ABSENT_NODE = 'lab';

/**
 * kubeadm's configuration for a control plane that is processes instead of pods. ECDSA keys, because RSA ones take
 * kubeadm many seconds. The kubelet's client CA is named, because kubeadm would otherwise write this host's directory
 * into the configuration that it gives to every kubelet of the cluster.
 */
export function kubeadmConfig(pki: string, release: Release): string {
  const apiVersion = `kubeadm.k8s.io/${release.configApi}`;
  const documents = [
    {
      apiVersion,
      kind: 'InitConfiguration',
      localAPIEndpoint: { advertiseAddress: GATEWAY, bindPort: 6443 },
      nodeRegistration: { name: ABSENT_NODE, criSocket: '/run/containerd/containerd.sock' },
    },
    {
      apiVersion,
      kind: 'ClusterConfiguration',
      kubernetesVersion: release.version,
      controlPlaneEndpoint: ENDPOINT,
      ...fastKeys(release),
      certificatesDir: pki,
      apiServer: { certSANs: ['127.0.0.1', 'localhost'] },
    },
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      cgroupDriver: release.cgroupDriver,
      authentication: { x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' } },
    },
    { apiVersion: 'kubeproxy.config.k8s.io/v1alpha1', kind: 'KubeProxyConfiguration' },
  ];
  // JSON is YAML, and needs no library here.
  return documents.map((document) => `---\n${JSON.stringify(document)}\n`).join('');
}

export type ProcessName = 'etcd' | 'apiserver' | 'controller-manager';

/** Where the parts of a control plane are. */
export interface Places {
  /** Working directory: pki/, kubeconfig/, etcd/, log/. */
  dir: string;
  /** Kubernetes binaries. */
  binaries: string;
  /** The words that run etcd. */
  etcd: readonly string[];
  release: Release;
}

/** Where a bench that wants every request noted puts the policy for that; an API server reads it at its start. */
export const auditPolicy = (dir: string): string => `${dir}/audit-policy.yaml`;
export const auditLog = (dir: string): string => `${dir}/log/audit.log`;

/** The command line of each process. */
export function commandOf(name: ProcessName, { dir, binaries, etcd, release }: Places): string[] {
  const pki = `${dir}/pki`;
  const client = 'http://127.0.0.1:2379';
  if (name === 'etcd') {
    const urls = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`];
    const peer = '--listen-peer-urls=http://127.0.0.1:2380';
    return [...etcd, `--data-dir=${dir}/etcd`, ...urls, peer, '--unsafe-no-fsync'];
  }
  if (name === 'apiserver') {
    return [
      `${binaries}/kube-apiserver`,
      `--advertise-address=${GATEWAY}`,
      '--secure-port=6443',
      `--cert-dir=${dir}/run`,
      `--etcd-servers=${client}`,
      `--client-ca-file=${pki}/ca.crt`,
      `--tls-cert-file=${pki}/apiserver.crt`,
      `--tls-private-key-file=${pki}/apiserver.key`,
      `--kubelet-client-certificate=${pki}/apiserver-kubelet-client.crt`,
      `--kubelet-client-key=${pki}/apiserver-kubelet-client.key`,
      `--service-account-key-file=${pki}/sa.pub`,
      `--service-account-signing-key-file=${pki}/sa.key`,
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      `--proxy-client-cert-file=${pki}/front-proxy-client.crt`,
      `--proxy-client-key-file=${pki}/front-proxy-client.key`,
      '--service-cluster-ip-range=10.96.0.0/12',
      '--authorization-mode=Node,RBAC',
      '--enable-admission-plugins=NodeRestriction',
      '--enable-bootstrap-token-auth=true',
      '--allow-privileged=true',
      ...(existsSync(auditPolicy(dir))
        ? [`--audit-policy-file=${auditPolicy(dir)}`, `--audit-log-path=${auditLog(dir)}`]
        : []),
    ];
  }
  return [
    `${binaries}/kube-controller-manager`,
    ...['', 'authentication-', 'authorization-'].map(
      (use) => `--${use}kubeconfig=${dir}/kubeconfig/controller-manager.conf`,
    ),
    '--bind-address=127.0.0.1',
    ...(hasInsecurePort(release.minor) ? ['--port=0'] : []),
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    `--cluster-signing-cert-file=${pki}/ca.crt`,
    `--cluster-signing-key-file=${pki}/ca.key`,
    `--root-ca-file=${pki}/ca.crt`,
    `--client-ca-file=${pki}/ca.crt`,
    `--service-account-private-key-file=${pki}/sa.key`,
    '--controllers=*,bootstrapsigner,tokencleaner',
  ];
}
