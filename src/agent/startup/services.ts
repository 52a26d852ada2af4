/** What of a machine starts by itself during its boot, and how one sees that it still does. */
import type { Host } from '../host/host.ts';

/** Parts of the machine that a verdict can rest on. */
export type Foundation =
  | 'runtime'
  | 'network'
  | 'address'
  | 'names'
  | 'time'
  | 'disks'
  | 'mounts'
  | 'kernel'
  | 'programs'
  | 'accounts'
  | 'cluster';

export interface Service {
  /** Its name in a sentence: "<called> is still starting". */
  called: string;
  /** systemd's units for it; those that a machine does not have count for nothing. */
  units: readonly string[];
  /** Seconds for which its answers are no last word after its unit's start. */
  graceSeconds: number;
  /**
   * Nobody announces all that it is made of: a program comes with a mount, a disk is attached, an agent of a cloud adds an
   * address. So in a young boot its answers are no last word either, whatever its units say.
   */
  comesUnannounced?: true;
  /** More that shows whether it is under way, where the units' own states do not tell. */
  stillBusy?(host: Host): Promise<boolean>;
}

const GRACE_SECONDS = 20;

const NETWORK_UNITS = [
  'network-online.target',
  'systemd-networkd-wait-online.service',
  'NetworkManager-wait-online.service',
  'systemd-networkd.service',
  'NetworkManager.service',
  'networking.service',
] as const;

const DISK_UNITS = [
  'systemd-udevd.service',
  'systemd-udev-trigger.service',
  'systemd-udev-settle.service',
  'systemd-remount-fs.service',
  'systemd-growfs-root.service',
  'local-fs.target',
  'swap.target',
] as const;

export const SERVICES: Readonly<Record<Foundation, Service>> = {
  runtime: {
    called: 'the container runtime',
    units: ['containerd.service', 'crio.service', 'cri-docker.service', 'docker.service'],
    graceSeconds: GRACE_SECONDS,
    comesUnannounced: true,
  },
  network: { called: 'the network', units: NETWORK_UNITS, graceSeconds: GRACE_SECONDS },
  // The machine's own addresses and routes, rather than what they lead to.
  address: {
    called: 'the network',
    units: NETWORK_UNITS,
    graceSeconds: GRACE_SECONDS,
    comesUnannounced: true,
  },
  names: {
    called: 'name resolution',
    units: ['systemd-resolved.service', 'dnsmasq.service', 'network-online.target'],
    graceSeconds: GRACE_SECONDS,
  },
  time: {
    called: 'time synchronisation',
    units: [
      'time-sync.target',
      'systemd-time-wait-sync.service',
      'systemd-timesyncd.service',
      'chrony.service',
      'chronyd.service',
      'ntpsec.service',
    ],
    // A time service is up at once and sets the clock when it has heard its servers a few times.
    graceSeconds: 90,
    stillBusy: async (host) => {
      const argv = ['timedatectl', 'show', '--property=NTP,NTPSynchronized'] as const;
      const { exitStatus, stdout } = await host.processes.run({ argv: [...argv], timeoutMs: 2_000 });
      return exitStatus === 0 && /^NTP=yes$/m.test(stdout) && /^NTPSynchronized=no$/m.test(stdout);
    },
  },
  disks: {
    called: 'what finds and mounts the disks',
    units: DISK_UNITS,
    graceSeconds: GRACE_SECONDS,
    comesUnannounced: true,
    // udev keeps this file while events wait for it.
    stillBusy: async (host) => (await host.files.stat('/run/udev/queue')) !== undefined,
  },
  // What is mounted by itself, and writable; without what may still be attached.
  mounts: { called: 'what mounts the file systems', units: DISK_UNITS, graceSeconds: GRACE_SECONDS },
  kernel: {
    called: 'what sets up the kernel',
    units: ['systemd-modules-load.service', 'systemd-sysctl.service'],
    graceSeconds: GRACE_SECONDS,
    comesUnannounced: true,
  },
  programs: {
    called: 'what brings programs (system extensions, mounts)',
    units: [
      'systemd-sysext.service',
      'systemd-confext.service',
      'ensure-sysext.service',
      'local-fs.target',
      'remote-fs.target',
    ],
    graceSeconds: GRACE_SECONDS,
    comesUnannounced: true,
  },
  // The cluster is often no older than this machine, and no unit here tells of it.
  cluster: { called: 'the cluster', units: [], graceSeconds: GRACE_SECONDS, comesUnannounced: true },
  accounts: {
    called: 'what makes the accounts of the system',
    units: ['systemd-sysusers.service', 'systemd-homed.service'],
    graceSeconds: GRACE_SECONDS,
  },
};
