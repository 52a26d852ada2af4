/**
 * Why a kubelet ends right after its start. Texts: cmd/kubelet/app/server.go and what it calls, 1.20 to 1.36. Up to 1.22 it
 * logs `failed to run Kubelet: ...`, then `"Failed to run kubelet" err="..."`, from 1.24 on `"command failed" err="..."`; the
 * rules rest on the reason and not on what is put around it.
 */
import { diagnoseRuntime } from '../patterns/runtime.ts';
import { plain, type Rule, reason, rule } from './rule.ts';

const flag = (name: string, what: string): ReturnType<Rule['diagnose']> => ({
  code: 'KubeletBadFlag',
  cause: `The kubelet ends because of its flag ${name}: ${what}.`,
});

const config = (what: string): ReturnType<Rule['diagnose']> => ({
  code: 'KubeletConfigInvalid',
  cause: `The kubelet does not accept its configuration: ${what}.`,
});

const flagRules: Rule[] = [
  rule(/unknown flag: (-{1,2}[\w.-]+)/, ([, name = '']) => flag(name, 'it does not know it')),
  rule(/unknown shorthand flag: '(.)' in (-\S+)/, ([, , name = '']) => flag(name, 'it does not know it')),
  rule(/invalid argument "([^"]*)" for "([^"]*)" flag: (.*)/, ([, value, name = '', why]) =>
    flag(name.replace(/^-\w, /, ''), `"${value}" is not a value for it (${reason(why)})`),
  ),
  rule(/flag needs an argument: (\S+)/, ([, name = '']) => flag(name, 'it has no value')),
  rule(
    /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels: (\[[^\]]*\])/,
    ([, labels]) => ({
      ...flag('--node-labels', `a node may not give itself the labels ${labels}`),
      code: 'KubeletBadFlag',
      remedy:
        'Take the labels out of node-labels; let Cluster API (Machine labels) or a controller set labels of kubernetes.io.',
    }),
  ),
  rule(/bad --node-ip "([^"]*)": (.*)/, ([, value, why]) => flag('--node-ip', `"${value}": ${reason(why)}`)),
  rule(/(--(?:kube|system|qos)-reserved) value failed to parse: (.*)/, ([, name = '', why]) =>
    flag(name, reason(why)),
  ),
  rule(
    /(?:unknown|unsupported) cloud provider "?([\w-]+)|cloud provider "?([\w-]+)"? (?:was specified|is no longer|has been removed)[^"]*/i,
    ([, a, b]) =>
      flag('--cloud-provider', `there is no cloud provider ${a ?? b} in it; it may be "external" or empty`),
  ),
  rule(/failed to validate kubelet flags: (?:error )?(.*)/, ([, why]) => flag('set', reason(why))),
  rule(/(?:command failed" err="|\] )unknown command (\S+)/, ([, word]) =>
    flag(`"${word?.replace(/"$/, '')}"`, 'it is no flag at all'),
  ),
];

/** runc's complaint about the path that a kubelet with the other driver gives it. */
export const CGROUPS_PATH: Rule = rule(
  /expected cgroupsPath to be of format "?slice:prefix:name"? for systemd cgroups/,
  () => ({
    code: 'CgroupDriverMismatch',
    cause: 'The container runtime uses the cgroup driver systemd, the kubelet cgroupfs.',
  }),
);

const cgroupRules: Rule[] = [
  rule(/kubelet is configured to not run on a host using cgroup v1/, () => ({
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
    }),
  ),
  rule(
    /cannot find cgroup mount destination|mountpoint for (\w+) not found|failed to find subsystem mount for required subsystem: ?(\w+)/,
    ([, a, b]) => ({
      code: 'CgroupsUnsuitable',
      cause: `The kubelet finds no cgroup hierarchy${(a ?? b) === undefined ? '' : ` for ${a ?? b}`}.`,
    }),
  ),
];

const configRules: Rule[] = [
  rule(/strict decoding error: ([^"]*(?:"[^"]*"[^"]*)?)/, ([, what]) =>
    config(reason(what?.replace(/^.*?(unknown field "[^"]*").*$/, '$1'))),
  ),
  rule(
    /(?:unrecognized feature gate: |cannot set feature gate )([\w-]+)(?: to \S+, feature is locked to (\S+))?/,
    ([, name, locked]) =>
      config(
        locked === undefined
          ? `it does not know the feature gate ${name}`
          : `the feature gate ${name} is fixed to ${locked.replace(/["\s]+$/, '')}`,
      ),
  ),
  rule(/failed to load kubelet drop-?in file, path: (\S+?),? (?:error: )?(.*)/, ([, path, why]) =>
    config(`${path}: ${reason(why)}`),
  ),
  rule(/failed to walk through kubelet dropin directory "([^"]*)": (.*)/, ([, path, why]) =>
    config(`its drop-in directory ${path} cannot be read: ${reason(why?.replace(/^lstat \S+: /, ''))}`),
  ),
  rule(/kubelet config file "([^"]*)" was empty/, ([, path]) => config(`${path} is empty`)),
  rule(
    /failed to validate kubelet configuration, error: (?:invalid configuration: )?(.*?)(?:, path: .*)?$/,
    ([, what]) => config(reason(what?.replace(/^\[|\]$/g, ''))),
  ),
  rule(/swap feature is enabled and LimitedSwap but it is only supported with cgroupv2/, () =>
    config('swapBehavior LimitedSwap needs cgroup v2'),
  ),
  rule(
    /(?:failed to (?:load|decode|read) [^:]*?kubelet config.*?(?:, error)?|failed to decode): (?!open |error: |failed |error failed )((?:error converting|error unmarshal|yaml|json|no kind|couldn't|parsing|quantities|[^":]*cannot unmarshal).*)/i,
    ([, what]) => config(reason(what)),
  ),
  rule(/initialize logging: (.*)/, ([, what]) => config(reason(what))),
  rule(
    /(Cipher suite \S+ not supported[^"]*|unknown tls version "?\w+"?|invalid eviction threshold[^"]*|topology manager policy options [^"]*|reserved-cpus: [^"]*|unable to parse reserved-cpus list: .*)/i,
    ([, what]) => config(reason(what)),
  ),
  rule(/listen tcp\d?:? ?(\S*?): (?:bind: cannot assign requested address|lookup [^"]*)/, ([what]) =>
    config(`it cannot listen there: ${reason(what)}`),
  ),
];

const machineRules: Rule[] = [
  rule(/running with swap on is not supported/i, () => ({
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
  rule(/open \/dev\/kmsg: ([^"]*)/, ([, why]) => ({
    code: 'KubeletFileMissing',
    cause: `The kubelet cannot read /dev/kmsg: ${reason(why)}.`,
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
  })),
];

const diskRules: Rule[] = [
  rule(/: no space left on device/, () => ({
    code: 'DiskFull',
    cause: 'The kubelet ends because no space is left on the disk.',
  })),
  rule(/(?:mkdir|open|write|rename|create) (\/\S+?): read-only file system/, ([, path]) => ({
    code: 'FileSystemReadOnly',
    cause: `The kubelet ends because it cannot write ${path}: the file system is read-only.`,
  })),
];

const fileRules: Rule[] = [
  rule(/certificatesigningrequests\S* is forbidden: User "([^"]*)"/, ([, user]) => ({
    code: 'PermissionDenied',
    cause: `The kubelet ends because ${user} may not ask for a certificate.`,
  })),
  rule(
    /unable to load client CA file "?(\S+?)"?: (?:open \S+: )?(no such file or directory|permission denied)/,
    ([, path, why]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet ends because it cannot read its client CA file ${path}: ${why}.`,
      remedy:
        'Correct authentication.x509.clientCAFile in the KubeletConfiguration; with kubeadm it is /etc/kubernetes/pki/ca.crt.',
    }),
  ),
  rule(/unable to load client CA file "?(\S+?)"?: (.*)/, ([, path, why]) => ({
    code: 'CertificateInvalid',
    cause: `The kubelet cannot use its client CA file ${path}: ${reason(why)}.`,
  })),
  // Not "permanent": kubeadm writes these two itself, and takes the second away.
  rule(
    /(?:unable to load bootstrap kubeconfig: stat|kubelet config file[^"]*?open|read kubelet config file[^"]{0,40}?"?\S{1,400}?"?,? error: open) (\S+?): no such file or directory/,
    ([, path]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet ends because ${path} is not there.`,
      remedy:
        'kubeadm writes that file; look for what removed it, or for a drop-in of kubelet.service that names another path.',
      persistence: 'until-deadline',
    }),
  ),
  // journalctl cuts it off where the terminal ends.
  rule(/failed to load kubelet config file, path: ([^\s,]+),.*? error: open \S*[>…]$/, ([, path]) => ({
    code: 'KubeletFileMissing',
    cause: `The kubelet ends because it cannot open ${path}; why is cut off.`,
    persistence: 'until-deadline',
  })),
  rule(/part of the existing bootstrap client certificate in (\S+) is expired/, ([, path]) => ({
    code: 'CertificateInvalid',
    cause: `The client certificate in ${path} has expired.`,
  })),
  rule(
    /(?:failed to run Kubelet: [^"]*?|failed to load kubelet config file, .*? error: )(?:open|stat) (\/\S+?): (no such file or directory|permission denied)/,
    ([, path, why]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet ends because it cannot read ${path}: ${why}.`,
    }),
  ),
];

const RUNTIME =
  /(?:unable to determine runtime API version|validate service connection|validate CRI v1 \w+ API|[Gg]et remote runtime|remote runtime service|Container runtime sanity check failed|failed to get docker version|failed to get cgroup driver from|CRI[^"]*RuntimeConfig)[^"]*(?:"[^"]*"[^"]*)*/;

const runtimeRules: Rule[] = [
  rule(/Cannot connect to the Docker daemon at (\S+?)\. /, ([, socket]) => ({
    code: 'ContainerRuntimeDown',
    cause: `The kubelet ends because Docker does not answer at ${socket}.`,
  })),
  rule(RUNTIME, ([text]) => {
    const found = diagnoseRuntime(text);
    return { ...found, cause: `The kubelet ends because of the runtime: ${found.cause}` };
  }),
];

const systemdRules: Rule[] = [
  rule(
    /kubelet\.service: Failed (?:at step EXEC spawning|to locate executable|to execute) (\S+?): (.*)/,
    ([, path, why]) => ({
      code: 'KubeletNotStarted',
      cause: `The kubelet ${path} cannot be started by systemd: ${reason(why)}.`,
      remedy: /Exec format/.test(why ?? '')
        ? 'Put the kubelet for the architecture of this machine into the image.'
        : 'Put the kubelet where kubelet.service expects it, with mode 0755.',
    }),
  ),
  rule(/kubelet\.service: Failed to load environment files: (.*)/, ([, why]) => ({
    code: 'KubeletNotStarted',
    cause: `The kubelet cannot be started: an EnvironmentFile of kubelet.service is missing (${reason(why)}).`,
    remedy: 'Create the file, or write a minus before its name in the unit (EnvironmentFile=-/path).',
  })),
  rule(/Unit kubelet\.service (?:not found|could not be found|is masked)/i, ([what]) => ({
    code: 'KubeletNotStarted',
    cause: `${what}.`,
  })),
  rule(
    /kubelet\.service: (?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/,
    () => ({
      code: 'OutOfMemory',
      cause: 'The kernel ended the kubelet because no memory was left.',
    }),
  ),
];

const cloudRules: Rule[] = [
  rule(/could not init cloud provider "?([\w-]+)"?: (.*)/, ([, name, why]) => ({
    code: 'KubeletCrashing',
    cause: `The kubelet ends because its cloud provider ${name} cannot be used: ${reason(why)}.`,
    remedy: 'Use --cloud-provider=external with a cloud controller manager, or correct cloud-config.',
  })),
];

/** Reasons for the kubelet's own end, the most telling first. */
export const KUBELET_START_RULES: readonly Rule[] = [
  ...flagRules,
  ...cgroupRules,
  ...configRules,
  ...machineRules,
  ...diskRules,
  ...fileRules,
  ...runtimeRules,
  ...cloudRules,
  ...systemdRules,
];

/** Lines with which the kubelet ends, whatever the reason is. */
const LAST_WORDS =
  /"command failed" err="(.*)"|"Failed to run kubelet" err="(.*)"|^F\d{4} \S+ +\d+ [\w.-]+:\d+\] (.*)|\] failed to run Kubelet: (.*)|"Failed to start (?:ContainerManager|cAdvisor)" err="(.*)"|^panic: (.*)|^[Ee]rror: (.*)/;

/** What the kubelet said last before it ended, if anything that looks like a reason. */
export function kubeletLastWords(lines: readonly string[]): string | undefined {
  for (let i = lines.length - 1; i >= 0; i--) {
    const match = LAST_WORDS.exec(plainEnd(lines[i] ?? ''));
    if (match !== null) return reason(plain(match.slice(1).find((part) => part !== undefined) ?? ''));
  }
  return undefined;
}

const plainEnd = (line: string): string => line.trim().slice(0, 2_000);
