/** What kubeadm writes below /etc/kubernetes and where its certificates lie, by name. */
import { API_SERVER_MANIFEST } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';

export const PKI = '/etc/kubernetes/pki';
export const ETCD_MANIFEST = '/etc/kubernetes/manifests/etcd.yaml';
/** The manifests of a control plane's static pods. */
export const MANIFESTS = [
  API_SERVER_MANIFEST,
  '/etc/kubernetes/manifests/kube-controller-manager.yaml',
  '/etc/kubernetes/manifests/kube-scheduler.yaml',
  ETCD_MANIFEST,
];

/** Where a configuration puts certificates. */
export interface CertificatePlaces {
  /** What a ClusterConfiguration sets. */
  readonly certificatesDir?: string;
  /** What a JoinConfiguration sets: a worker's one certificate. */
  readonly caCertPath?: string;
}

/** Everything that kubeadm writes for these places, by name; nothing else beside it is ever removed. */
export function kubeadmFiles(places: CertificatePlaces = {}): string[] {
  return [...certificateFiles(places), ...OTHERS];
}

/** Those among them that user data may bring before there is a node. */
export function certificateFiles({ certificatesDir = PKI, caCertPath }: CertificatePlaces = {}): string[] {
  const inside = PAIRS.flatMap((name) => [`${name}.crt`, `${name}.key`])
    .concat('sa.pub', 'sa.key')
    .map((name) => `${certificatesDir}/${name}`);
  return caCertPath === undefined || inside.includes(caCertPath) ? inside : [...inside, caCertPath];
}

const PAIRS = [
  ...['ca', 'apiserver', 'apiserver-kubelet-client', 'front-proxy-ca', 'front-proxy-client'],
  ...['apiserver-etcd-client', 'etcd/ca', 'etcd/server', 'etcd/peer', 'etcd/healthcheck-client'],
];

const OTHERS = [
  ...['admin', 'super-admin', 'bootstrap-kubelet', 'kubelet', 'controller-manager', 'scheduler'].map(
    (name) => `/etc/kubernetes/${name}.conf`,
  ),
  ...MANIFESTS,
];

/** A name of kubeadm's own: other flags may name files that are somebody else's. */
const CERTIFICATE = /=([^"'\n=]+)\/apiserver-kubelet-client\.crt/;

/**
 * Where this control plane's certificates lie; on other machines, where kubeadm would put them. A join learns it from the
 * cluster, so that no configuration here names it; the API server's manifest does. @throws HostError
 */
export async function certificatesDirOf(host: Host): Promise<string> {
  const manifest = (await host.files.readIfPresent(API_SERVER_MANIFEST, 1024 * 1024))?.toString('utf8') ?? '';
  return CERTIFICATE.exec(manifest)?.[1] ?? PKI;
}
