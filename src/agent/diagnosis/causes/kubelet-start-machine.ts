import { portFacts, type Rule, reason, rule } from './rule.ts';

/** runc's complaint about the path that a kubelet with the other driver gives it. */
export const CGROUPS_PATH: Rule = rule(
  /expected cgroupsPath to be of format "?slice:prefix:name"? for systemd cgroups/,
  () => ({
    code: 'CgroupDriverMismatch',
    cause: 'The container runtime uses the systemd cgroup driver, the kubelet cgroupfs.',
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
    cause: `The kubelet cannot use the cgroup ${path}: it is in an invalid state.`,
    remedy: 'In a container, give the kubelet its own cgroup namespace with all controllers delegated to it.',
  })),
  rule(/Following Cgroup subsystem not mounted: \[([^\]]*)\]/, ([, names]) => ({
    code: 'CgroupsUnsuitable',
    cause: `The kubelet exits because the cgroup controllers ${names} are missing.`,
  })),
  rule(
    /cgroup-root (\[[^\]]*\]|\S+) doesn't exist|cgroup (\[[^\]]*\]|\S+) has some missing (?:controllers|paths): ([^"]*)/,
    ([, root, name, what]) => ({
      code: 'CgroupsUnsuitable',
      cause:
        root === undefined
          ? `The kubelet exits because its cgroup ${name} is missing ${reason(what)}.`
          : `The kubelet exits because the cgroup ${root} does not exist.`,
      ...(root === undefined
        ? {}
        : {
            remedy:
              'Correct cgroupRoot of the KubeletConfiguration (or --cgroup-root), or create that cgroup before the kubelet starts.',
          }),
    }),
  ),
  rule(/failed to initialize top level QOS containers: ([^"]*)/, ([, why]) => ({
    code: 'CgroupsUnsuitable',
    cause: `The kubelet exits because it cannot create its cgroups: ${reason(why)}.`,
    remedy:
      'Use the same cgroup driver for the kubelet and the container runtime. In a container, delegate all controllers (its own cgroup namespace). Check for SELinux denials. If another kubelet ran before, reboot.',
  })),
  rule(
    /cannot find cgroup mount destination|mountpoint for (\w+) not found|failed to find subsystem mount for required subsystem: ?(\w+)/,
    ([, a, b]) => ({
      code: 'CgroupsUnsuitable',
      cause: `The kubelet found no cgroup hierarchy${(a ?? b) === undefined ? '' : ` for ${a ?? b}`}.`,
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
      cause: `The kubelet refuses to run because the kernel setting ${name.replaceAll('/', '.')} is ${is}, not ${wanted}.`,
      remedy: `Write "${name.replaceAll('/', '.')} = ${wanted}" into a file in /etc/sysctl.d, or set protectKernelDefaults: false.`,
    }),
  ),
  rule(
    /inotify_init: too many open files|fsnotify watcher: too many open files|inotify[^"]*: too many open files/i,
    () => ({
      code: 'KernelSettingWrong',
      cause: 'The kubelet exits because no inotify instance is left (too many open files).',
      remedy:
        'Raise fs.inotify.max_user_instances and fs.inotify.max_user_watches in a file in /etc/sysctl.d.',
    }),
  ),
  // It looks for the disk in a list of partitions, in which a subvolume of btrfs is not.
  rule(
    /failed to get rootfs info: failed to get device for dir "([^"]+)": could not find device with major: 0/,
    ([, path]) => ({
      code: 'KubeletCrashing',
      cause: `The kubelet exits because it cannot find the device of ${path}: the file system (btrfs, ZFS or similar) has no device of its own.`,
      remedy: `Put ${path} on ext4 or xfs, or set localStorageCapacityIsolation: false in the KubeletConfiguration.`,
      persistence: 'permanent',
    }),
  ),
  rule(/failed to get rootfs info: (unable to find data[^"]*)/, ([, why]) => ({
    code: 'KubeletCrashing',
    cause: `The kubelet exits because it cannot read its root file system's details: ${reason(why)}.`,
    remedy:
      'A kubelet older than 1.19 does not know cgroup v2 (stat -fc %T /sys/fs/cgroup prints cgroup2fs): use a newer one. A newer one may only have started too early; systemd restarts it.',
  })),
  rule(/open (\/proc\/sys\/\S+?): (permission denied|operation not permitted)/, ([, path, why]) => ({
    code: 'FileAccessDenied',
    cause: `The kubelet exits because it cannot set ${path}: ${why}.`,
    remedy:
      'Allow its container to set it or, in a user namespace, set the feature gate KubeletInUserNamespace.',
  })),
  // To root outside of a user namespace the kernel permits it.
  rule(/open \/dev\/kmsg: (operation not permitted|permission denied)/, ([, why]) => ({
    code: 'KubeletFileMissing',
    cause: `The kubelet runs in a container or user namespace that cannot read /dev/kmsg (${why}).`,
    remedy:
      'Set featureGates: KubeletInUserNamespace: true in the KubeletConfiguration, or run it in a privileged container or on its own machine.',
  })),
  rule(/open \/dev\/kmsg: ([^"]*)/, ([, why]) => ({
    code: 'KubeletFileMissing',
    cause: `The kubelet cannot read /dev/kmsg: ${reason(why)}.`,
    remedy:
      "Give its container the machine's /dev/kmsg device (in LXC: lxc.mount.entry, or a link to /dev/console).",
  })),
  rule(
    /configured policy "(\w*)" differs from state checkpoint policy "(\w*)"|(?:delete|remove) (?:the )?[^"]*checkpoint file "?(\S+?)"? before restarting/i,
    ([, now, before]) => ({
      code: 'LeftoversFound',
      cause: `The kubelet does not start because it found the state of another configuration${now === undefined ? '' : ` (policy ${before} then, ${now} now)`}.`,
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
    cause: 'The kubelet exits because the disk is full.',
  })),
  rule(/(?:mkdir|open|write|rename|create) (\/\S+?): read-only file system/, ([, path]) => ({
    code: 'FileSystemReadOnly',
    cause: `The kubelet exits because it cannot write ${path}: the file system is read-only.`,
  })),
];
