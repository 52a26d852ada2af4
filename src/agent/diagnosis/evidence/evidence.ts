/** What the machine shows after kubeadm failed. Plain data: gathering fills it, diagnosis reads it. */

export interface Evidence {
  /** Lines of the kubelet's unit since the attempt began, systemd's own about it included; the newest last. */
  kubeletLog: string[];
  /** Lines of the container runtime's unit since the attempt began. */
  runtimeLog: string[];
  units: UnitState[];
  staticPods: StaticPod[];
  disks: Disk[];
  /** Bytes; undefined when /proc/meminfo was not to be read. */
  memoryAvailable?: number;
  swapDevices: string[];
  /** Lines of the kernel's log about processes that were ended for lack of memory. */
  outOfMemory: string[];
  apiServer?: ApiServerView;
  /** The program that listens at each port of this machine. */
  listeners: { port: number; program: string }[];
  /** What could not be found out in time, for people. */
  missing: string[];
  /** Out of a log that somebody collected, which may hold only a part of what was written. */
  isCollected?: boolean;
}

export interface UnitState {
  /** e.g. `kubelet.service`. */
  name: string;
  /** systemd's words: `loaded`, `not-found`, `masked`. */
  load: string;
  /** `active`, `activating`, `failed`, `inactive`. */
  active: string;
  /** `running`, `auto-restart`, `dead` ... */
  sub: string;
  /** `success`, `exit-code`, `oom-kill`, `resources`, `start-limit-hit` ... */
  result: string;
  restarts: number;
  exitStatus: number;
}

export interface StaticPod {
  /** Container name: `etcd`, `kube-apiserver`, `kube-controller-manager`, `kube-scheduler`. */
  name: string;
  /** In the words of the CRI, in lower case: `running`, `exited`, `created`; undefined where the runtime was not asked. */
  state?: string;
  exitCode?: number;
  /** e.g. `OOMKilled`, `Error`. */
  reason?: string;
  restarts: number;
  /** The last lines of its newest log that ended, else of the newest. */
  log: string[];
}

export interface Disk {
  path: string;
  totalBytes: number;
  availableBytes: number;
}

/** One request to the API server, told in the four steps that it has. */
export interface ApiServerView {
  /** `host:port`. */
  endpoint: string;
  /** The step that failed; undefined when there was an answer. `mute`: it took the connection, and then nothing came, not even TLS. */
  failedAt?: 'dns' | 'tcp' | 'mute' | 'tls' | 'http';
  /** It neither answered nor refused in the time that it was given: nobody is there, or it has too much to do. */
  isSilent?: true;
  /** No route leads there, or the last router on the way finds nobody at the address. */
  isUnrouted?: true;
  /** Why, in a few words. */
  problem?: string;
  status?: number;
  /** Its own checks that fail, as it says itself: `etcd` ... */
  failing?: string[];
  /** Seconds that this machine's clock is ahead of the API server's; negative when behind. */
  clockAhead?: number;
  /** What the ConfigMap cluster-info says. */
  clusterInfo?: ClusterInfoView;
}

interface ClusterInfoView {
  /** Ids of the tokens that have signed it. */
  signedBy: string[];
}

export const NO_EVIDENCE: Readonly<Evidence> = {
  kubeletLog: [],
  runtimeLog: [],
  units: [],
  staticPods: [],
  disks: [],
  swapDevices: [],
  outOfMemory: [],
  listeners: [],
  missing: [],
};
