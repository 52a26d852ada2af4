import { hierarchies } from '../host/cgroups.ts';

/** What kubeadm asks images for. */
const IMAGES = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kube-proxy',
  'coredns',
  'pause',
  'etcd',
] as const;

type ImageName = (typeof IMAGES)[number];

export type ConfigApi = 'v1beta2' | 'v1beta3' | 'v1beta4';

/** What differs from one release of Kubernetes to the next, and the lab, its cases and its benches must know. */
export interface Release {
  /** As kubeadm says it, e.g. "v1.36.2". */
  version: string;
  minor: number;
  /** The newest API in which its kubeadm reads configurations. */
  configApi: ConfigApi;
  /** What kubeadm configures kubelets for where nobody says otherwise; the container runtime must agree. */
  cgroupDriver: 'cgroupfs' | 'systemd';
  /** By name, with registry and tag, as its kubeadm asks for them. */
  images: Readonly<Record<ImageName, string>>;
}

/**
 * @param version as `kubeadm version --output=short` says it
 * @param imageList what `kubeadm config images list` says
 * @throws RangeError for what is no version, or where an image is missing
 */
export function releaseOf(version: string, imageList: string): Release {
  const minor = minorOf(version);
  const lines = imageList.split('\n').map((line) => line.trim());
  const images = {} as Record<ImageName, string>;
  for (const name of IMAGES) {
    const found = lines.find((line) => line.includes(`/${name}:`));
    if (found === undefined) throw new RangeError(`kubeadm ${version} names no image for ${name}`);
    images[name] = found;
  }
  return {
    version,
    minor,
    configApi: configApiOf(minor),
    cgroupDriver: minor >= 22 ? 'systemd' : 'cgroupfs',
    images,
  };
}

/** The newest API in which kubeadm of that minor version reads configurations; Cluster API chooses the same. */
export function configApiOf(minor: number): ConfigApi {
  if (minor >= 31) return 'v1beta4';
  return minor >= 22 ? 'v1beta3' : 'v1beta2';
}

/** @throws RangeError for what is no version */
export function minorOf(version: string): number {
  const minor = /^v1\.(\d+)\./.exec(version)?.[1];
  if (minor === undefined) throw new RangeError(`"${version}" is no version of Kubernetes`);
  return Number(minor);
}

/** Major and minor version of the etcd that its kubeadm writes a manifest for, e.g. "3.6". */
export function etcdSeries({ images }: Pick<Release, 'images'>): string {
  return /:v?(\d+\.\d+)\./.exec(images.etcd)?.[1] ?? '';
}

/** kubeadm has asked the container runtime without crictl since 1.31. */
export function needsCrictl(minor: number): boolean {
  return minor < 31;
}

/** The controller manager listened without TLS too until 1.23, unless it was told not to; the flag is gone. */
export function hasInsecurePort(minor: number): boolean {
  return minor < 24;
}

/** The kubeconfig of kubeadm's that has all rights from the first moment on; admin.conf has needed a binding since 1.29. */
export function rootKubeconfig(minor: number): 'admin' | 'super-admin' {
  return minor >= 29 ? 'super-admin' : 'admin';
}

/** The taint that kubeadm gives to control planes. */
export function controlPlaneTaint(minor: number): string {
  return `node-role.kubernetes.io/${minor >= 24 ? 'control-plane' : 'master'}`;
}

/** Members of a ClusterConfiguration that make kubeadm use keys of ECDSA, which take no time to make. */
export function fastKeys({ configApi }: Pick<Release, 'configApi'>): object {
  return configApi === 'v1beta4'
    ? { encryptionAlgorithm: 'ECDSA-P256' }
    : { featureGates: { PublicKeysECDSA: true } };
}

/** Since 1.35 kubelets do not start where control groups are of version 1, unless they are told to. */
function refusesCgroupV1(minor: number, version1 = hostHasCgroupV1()): boolean {
  return minor >= 35 && version1;
}

function hostHasCgroupV1(): boolean {
  return hierarchies().some(({ version }) => version === 1);
}

/**
 * A machine's disk is the host's, of which a seventh may be free: a kubelet would remove the images that kubeadm is about to
 * start, and let no pod in. Flags, since each release has them.
 */
const ON_THE_HOSTS_DISK = {
  'eviction-hard': 'nodefs.available<1%,imagefs.available<1%',
  'image-gc-high-threshold': '100',
};

/**
 * Members of a nodeRegistration by which a kubelet works on this host and kubeadm lets it. `kubeletExtraArgs` is a map, as it
 * was until v1beta3.
 */
export function hostAllowance(
  minor: number,
  version1?: boolean,
): { ignorePreflightErrors?: string[]; kubeletExtraArgs: Record<string, string> } {
  if (!refusesCgroupV1(minor, version1)) return { kubeletExtraArgs: ON_THE_HOSTS_DISK };
  return {
    ignorePreflightErrors: ['SystemVerification'],
    kubeletExtraArgs: { ...ON_THE_HOSTS_DISK, 'fail-cgroupv1': 'false' },
  };
}

const LAST_WITH_STORAGE_REQUEST = 21;

/**
 * What the kubelet of a machine that joins as control plane is told besides. Up to 1.21 kubeadm's etcd asks for ephemeral storage
 * (kubernetes/kubernetes#99305), and a kubelet that has registered its Node a moment ago may not have told it any: it refuses the
 * static pod once and for all, the new member never comes, and the cluster has lost its quorum. Without this gate nobody counts that
 * storage; but then no pod with requests is scheduled to where etcd is, so other machines do without.
 */
export function joiningControlPlaneArgs(minor: number): Record<string, string> {
  return minor > LAST_WITH_STORAGE_REQUEST ? {} : { 'feature-gates': 'LocalStorageCapacityIsolation=false' };
}
