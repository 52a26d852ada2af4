/** What of a machine starts by itself during its boot, and how one sees that it still does. */
import type { Host } from '../host/host.ts';

/** Parts of the machine that a verdict can rest on. */
export type Part = 'runtime' | 'network' | 'names' | 'time' | 'disks' | 'kernel' | 'programs' | 'accounts';

export interface Service {
  /** For a sentence: "<called> is still starting". */
  called: string;
  /** systemd's units for it; those that a machine does not have count for nothing. */
  units: readonly string[];
  /** Seconds for which its answers are no last word after its unit's start. */
  graceSeconds: number;
  /** More that shows whether it is under way, where the units' own states do not tell. */
  stillBusy?(host: Host): Promise<boolean>;
}

const GRACE_SECONDS = 20;

export const SERVICES: Readonly<Record<Part, Service>> = {
  runtime: {
    called: 'the container runtime',
    units: ['containerd.service', 'crio.service', 'cri-docker.service', 'docker.service'],
    graceSeconds: GRACE_SECONDS,
  },
  network: {
    called: 'the network',
    units: [
      'network-online.target',
      'systemd-networkd-wait-online.service',
      'NetworkManager-wait-online.service',
      'systemd-networkd.service',
      'NetworkManager.service',
      'networking.service',
    ],
    graceSeconds: GRACE_SECONDS,
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
    units: [
      'systemd-udevd.service',
      'systemd-udev-trigger.service',
      'systemd-udev-settle.service',
      'systemd-remount-fs.service',
      'systemd-growfs-root.service',
      'local-fs.target',
      'swap.target',
    ],
    graceSeconds: GRACE_SECONDS,
    // udev keeps this file while events wait for it.
    stillBusy: async (host) => (await host.files.stat('/run/udev/queue')) !== undefined,
  },
  kernel: {
    called: 'what sets up the kernel',
    units: ['systemd-modules-load.service', 'systemd-sysctl.service'],
    graceSeconds: GRACE_SECONDS,
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
  },
  accounts: {
    called: 'what makes the accounts of the system',
    units: ['systemd-sysusers.service', 'systemd-homed.service'],
    graceSeconds: GRACE_SECONDS,
  },
};
