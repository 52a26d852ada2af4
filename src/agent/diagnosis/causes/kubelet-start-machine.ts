import { portFacts, type Rule, reason, rule } from './rule.ts';

/** runc's complaint about the path that a kubelet with the other driver gives it. */
export const CGROUPS_PATH: Rule = rule(
  /expected cgroupsPath to be of format "?slice:prefix:name"? for systemd cgroups/,
  () => ({
    code: 'CgroupDriverMismatch',
    cause: 'The container runtime uses the cgroup driver systemd, the kubelet cgroupfs.',
  }),
);

/** A kubelet whom the machine's cgroups do not suit. */
export const cgroupRules: Rule[] = [
  rule(/kubelet is configured to not run on a host using cgroup v1\./, () => ({
    code: 'CgroupsUnsuitable',
    cause: 'The kubelet refuses to run because this machine uses cgroup v1.',
    remedy:
      'Boot the image with cgroup v2 (systemd.unified_cgroup_hierarchy=1), or set failCgroupV1: false in the KubeletConfiguration while the kubelet still allows it.',
  })),
  rule(
    /kubelet cgroup driver: "?(\w+)"? is different from (docker|[\w/ ]+?) cgroup driver: "?(\w+)"?/,
    ([, kubelet, name, runtime]) => ({
      code: 'CgroupDriverMismatch',
      cause: `The kubelet uses the cgroup driver ${kubelet}, the container runtime ${runtime}.`,
      ...(name === 'docker'
        ? {
            remedy:
              'Write "exec-opts": ["native.cgroupdriver=systemd"] into /etc/docker/daemon.json and cgroupDriver: systemd for the kubelet.',
          }
        : {}),
    }),
  ),
  CGROUPS_PATH,
  // Somebody has cut it off.
  rule(/misconfiguration: kubelet cgroup driver: /, () => ({
    code: 'CgroupDriverMismatch',
    cause: 'The kubelet and the container runtime use different cgroup drivers.',
  })),
  rule(/cannot enter cgroupv2 "([^"]*)" with domain controllers/, ([, path]) => ({
    code: 'CgroupsUnsuitable',
    cause: `The kubelet may not use the cgroup ${path} as it needs to: it is in an invalid state.`,
    remedy: 'In a container, give it a cgroup namespace of its own, with all controllers delegated to it.',
  })),
  rule(/Following Cgroup subsystem not mounted: \[([^\]]*)\]/, ([, names]) => ({
    code: 'CgroupsUnsuitable',
    cause: `The kubelet ends because the cgroup controllers ${names} are not there.`,
  })),
  rule(
    /cgroup-root (\[[^\]]*\]|\S+) doesn't exist|cgroup (\[[^\]]*\]|\S+) has some missing (?:controllers|paths): ([^"]*)/,
    ([, root, name, what]) => ({
      code: 'CgroupsUnsuitable',
      cause:
        root === undefined
          ? `The kubelet ends because its cgroup ${name} lacks ${reason(what)}.`
          : `The kubelet ends because the cgroup ${root} does not exist.`,
      ...(root === undefined
        ? {}
        : {
            remedy:
              'Correct cgroupRoot of the KubeletConfiguration (or --cgroup-root), or make that cgroup before the kubelet starts.',
          }),
    }),
  ),
  rule(/failed to initialize top level QOS containers: ([^"]*)/, ([, why]) => ({
    code: 'CgroupsUnsuitable',
    cause: `The kubelet ends because it cannot make its cgroups: ${reason(why)}.`,
    remedy:
      'Let the kubelet and the container runtime use one cgroup driver, give a container all controllers (a cgroup namespace of its own), look for what SELinux has refused, and boot again where another kubelet has run before.',
  })),
  rule(
    /cannot find cgroup mount destination|mountpoint for (\w+) not found|failed to find subsystem mount for required subsystem: ?(\w+)/,
    ([, a, b]) => ({
      code: 'CgroupsUnsuitable',
      cause: `The kubelet finds no cgroup hierarchy${(a ?? b) === undefined ? '' : ` for ${a ?? b}`}.`,
    }),
  ),
];

/** One whom something else of the machine stands in the way of. */
export const machineRules: Rule[] = [
  // A terminal may have broken the rest.
  rule(/running with swap on\b/i, () => ({
    code: 'SwapEnabled',
    cause: 'The kubelet refuses to run because swap is on.',
  })),
  rule(
    /invalid kernel flag: (\S+?), expected value: (\S+?), actual value: ([^\s",]+)/,
    ([, name = '', wanted, is]) => ({
      code: 'KernelSettingWrong',
      cause: `The kubelet refuses to run because the kernel setting ${name.replaceAll('/', '.')} is ${is} and not ${wanted}.`,
      remedy: `Write "${name.replaceAll('/', '.')} = ${wanted}" into a file in /etc/sysctl.d, or set protectKernelDefaults: false.`,
    }),
  ),
  rule(
    /inotify_init: too many open files|fsnotify watcher: too many open files|inotify[^"]*: too many open files/i,
    () => ({
      code: 'KernelSettingWrong',
      cause: 'The kubelet ends because no inotify instance is left (too many open files).',
      remedy:
        'Raise fs.inotify.max_user_instances and fs.inotify.max_user_watches in a file in /etc/sysctl.d.',
    }),
  ),
  // It looks for the disk in a list of partitions, in which a subvolume of btrfs is not.
  rule(
    /failed to get rootfs info: failed to get device for dir "([^"]+)": could not find device with major: 0/,
    ([, path]) => ({
      code: 'KubeletCrashing',
      cause: `The kubelet ends because it does not find the device on which ${path} lies: it is on btrfs, ZFS or another file system without a device of its own.`,
      remedy: `Put ${path} on ext4 or xfs, or set localStorageCapacityIsolation: false in the KubeletConfiguration.`,
      persistence: 'permanent',
    }),
  ),
  rule(/failed to get rootfs info: (unable to find data[^"]*)/, ([, why]) => ({
    code: 'KubeletCrashing',
    cause: `The kubelet ends because it learns nothing of its root file system: ${reason(why)}.`,
    remedy:
      'A kubelet older than 1.19 does not know cgroup v2 (stat -fc %T /sys/fs/cgroup says cgroup2fs): use a newer one. A newer one may only have been too early, and starts again by itself.',
  })),
  rule(/open (\/proc\/sys\/\S+?): (permission denied|operation not permitted)/, ([, path, why]) => ({
    code: 'FileAccessDenied',
    cause: `The kubelet ends because it may not set ${path} (${why}).`,
    remedy:
      'Give its container the right to set it, or set the feature gate KubeletInUserNamespace where it runs in a user namespace.',
  })),
  // To root outside of a user namespace the kernel permits it.
  rule(/open \/dev\/kmsg: (operation not permitted|permission denied)/, ([, why]) => ({
    code: 'KubeletFileMissing',
    cause: `The kubelet runs in a container or user namespace in which it may not read /dev/kmsg (${why}).`,
    remedy:
      'Set featureGates: KubeletInUserNamespace: true in the KubeletConfiguration, or give it a privileged container or a machine of its own.',
  })),
  rule(/open \/dev\/kmsg: ([^"]*)/, ([, why]) => ({
    code: 'KubeletFileMissing',
    cause: `The kubelet cannot read /dev/kmsg: ${reason(why)}.`,
    remedy:
      'Give its container the device /dev/kmsg of the machine (in LXC: lxc.mount.entry, or a link to /dev/console).',
  })),
  rule(
    /configured policy "(\w*)" differs from state checkpoint policy "(\w*)"|(?:delete|remove) (?:the )?[^"]*checkpoint file "?(\S+?)"? before restarting/i,
    ([, now, before]) => ({
      code: 'LeftoversFound',
      cause: `The kubelet finds the state of another configuration${now === undefined ? '' : ` (policy ${before} then, ${now} now)`} and does not start.`,
      remedy: 'Remove /var/lib/kubelet/cpu_manager_state and /var/lib/kubelet/memory_manager_state.',
    }),
  ),
  rule(/listen tcp\d? (\S+?): bind: address already in use/, ([, address]) => ({
    code: 'PortInUse',
    cause: `The kubelet cannot listen at ${address}: the port is in use.`,
    ...portFacts(address),
  })),
];

export const diskRules: Rule[] = [
  rule(/: no space left on device/, () => ({
    code: 'DiskFull',
    cause: 'The kubelet ends because no space is left on the disk.',
  })),
  rule(/(?:mkdir|open|write|rename|create) (\/\S+?): read-only file system/, ([, path]) => ({
    code: 'FileSystemReadOnly',
    cause: `The kubelet ends because it cannot write ${path}: the file system is read-only.`,
  })),
];
