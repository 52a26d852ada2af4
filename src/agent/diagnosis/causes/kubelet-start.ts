/**
 * Why a kubelet ends right after its start. Texts: cmd/kubelet/app/server.go and what it calls, 1.20 to 1.36. Up to 1.22 it
 * logs `failed to run Kubelet: ...`, then `"Failed to run kubelet" err="..."`, from 1.24 on `"command failed" err="..."`; the
 * rules rest on the reason and not on what is put around it.
 */
import { diagnoseRuntime } from '../patterns/runtime.ts';
import { cgroupRules, diskRules, machineRules } from './kubelet-start-machine.ts';
import { configRules, flagRules } from './kubelet-start-settings.ts';
import { plain, type Rule, reason, rule } from './rule.ts';

/** It looks for the bootstrap kubeconfig then, which kubeadm has taken away. */
export const EXPIRED: Rule = rule(
  /part of the existing bootstrap client certificate(?: in (\/etc\/kubernetes\/\S+))? is expired/i,
  ([, path]) => ({
    code: 'CertificateInvalid',
    cause: `The kubelet's client certificate${path === undefined ? '' : ` in ${path}`} has expired.`,
    remedy:
      'Set the clock if it is wrong. Otherwise join the machine again, or create a kubelet.conf for it on a control plane (kubeadm kubeconfig user --org system:nodes --client-name system:node:NAME), remove /var/lib/kubelet/pki/kubelet-client* and restart the kubelet.',
  }),
);

const WRITTEN_BY_KUBEADM =
  'kubeadm writes that file; find out what removed it, or look for a drop-in of kubelet.service that names another path.';

const fileRules: Rule[] = [
  rule(/certificatesigningrequests\S* is forbidden: User "([^"]*)"/, ([, user]) => ({
    code: 'PermissionDenied',
    cause: `The kubelet exits because ${user} may not request a certificate.`,
  })),
  rule(
    /unable to load client CA file "?(\S+?)"?: (?:open \S+: )?(no such file or directory|permission denied)/,
    ([, path, why]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet exits because it cannot read its client CA file ${path}: ${why}.`,
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
      cause: `The kubelet exits because ${path} does not exist.`,
      remedy: WRITTEN_BY_KUBEADM,
      persistence: 'until-deadline',
    }),
  ),
  // A terminal cuts it off where it ends.
  rule(/unable to load bootstrap kubeconfig: stat \/[^\s:]*[>…]?$/, () => ({
    code: 'KubeletFileMissing',
    cause: 'The kubelet exits because its bootstrap kubeconfig does not exist.',
    remedy: WRITTEN_BY_KUBEADM,
    persistence: 'until-deadline',
  })),
  rule(
    /failed to load [Kk]ubelet config file,? (?:path: )?([^\s,]+),.*? (?:error: open \S*|error failed to read kubelet config file "[^"]*)[>…]$/,
    ([, path]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet exits because it cannot open ${path}; the reason is cut off.`,
      ...(path === '/var/lib/kubelet/config.yaml' ? { remedy: WRITTEN_BY_KUBEADM } : {}),
      persistence: 'until-deadline',
    }),
  ),
  EXPIRED,
  // What TLS bootstrap writes: with a bootstrap kubeconfig the kubelet would complain of that one.
  rule(
    /invalid kubeconfig: stat (\/etc\/kubernetes\/kubelet\.conf): no such file or directory/,
    ([, path]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet has no ${path} and was started without --bootstrap-kubeconfig, so it cannot get a certificate.`,
      remedy:
        "Restore kubeadm's drop-in of kubelet.service (10-kubeadm.conf), which names /etc/kubernetes/bootstrap-kubelet.conf. Never copy a kubelet.conf from another machine: it is that machine's identity.",
    }),
  ),
  rule(
    /(?:unable to load (?:bootstrap )?kubeconfig|invalid kubeconfig): (?!(?:stat|open) |[^"]*(?:stat|open) \/)(.*)/,
    ([, why]) => ({
      code: 'KubeletConfigInvalid',
      cause: `The kubelet exits because its kubeconfig cannot be used: ${reason(why)}.`,
      remedy:
        'kubeadm writes /etc/kubernetes/kubelet.conf and bootstrap-kubelet.conf; find out what changed or emptied them.',
    }),
  ),
  rule(/tls: private key does not match public key/, () => ({
    code: 'CertificateInvalid',
    cause: 'The kubelet cannot use its certificate: the private key does not match it.',
    remedy:
      'Compare the pair: tlsCertFile and tlsPrivateKeyFile of the KubeletConfiguration, or, if unset, kubelet.crt and kubelet.key in /var/lib/kubelet/pki, which the kubelet creates again once both are moved away.',
  })),
  rule(
    /(?:failed to run Kubelet: [^"]*?|failed to load kubelet config file, .*? error: )(?:open|stat) (\/\S+?): (no such file or directory|permission denied)/,
    ([, path = '', why]) => ({
      code: 'KubeletFileMissing',
      cause: `The kubelet exits because it cannot read ${path}: ${why}.`,
      ...(/^\/(?:etc\/kubernetes|var\/lib\/kubelet)\//.test(path)
        ? {
            remedy:
              'kubeadm or the kubelet creates that file on each machine: find out what removed it, or look for an option that names another path. Do not copy one from another machine.',
          }
        : {}),
    }),
  ),
];

const RUNTIME =
  /(?:unable to determine runtime API version|validate service connection|validate CRI v1 \w+ API|[Gg]et remote runtime|remote runtime service|Container runtime sanity check failed|failed to get docker version|failed to get cgroup driver from|CRI(?:(?!CRI)[^"])*RuntimeConfig)[^"]*(?:"[^"]*"[^"]*)*/;

const runtimeRules: Rule[] = [
  rule(/Cannot connect to the Docker daemon at (\S+?)\. /, ([, socket]) => ({
    code: 'ContainerRuntimeDown',
    cause: `The kubelet exits because Docker does not answer at ${socket}.`,
  })),
  rule(/dial unix: missing address/, () => ({
    code: 'KubeletConfigInvalid',
    cause: 'The kubelet exits because the address of the container runtime is not set.',
    remedy:
      'Set nodeRegistration.criSocket, and look for an empty --container-runtime-endpoint in the flags of the kubelet.',
  })),
  rule(RUNTIME, ([text]) => {
    const found = diagnoseRuntime(text, 'it');
    return { ...found, cause: `The kubelet exits because of the container runtime: ${found.cause}` };
  }),
];

export const UNMASK_KUBELET = 'Unmask it in the image: systemctl unmask kubelet.';

const systemdRules: Rule[] = [
  rule(
    /kubelet\.service: Failed (?:at step EXEC spawning|to locate executable|to execute) (\S+?): (.*)/,
    ([, path = '', why]) => ({
      code: 'KubeletNotStarted',
      cause: `${path.endsWith('/kubelet') ? `The kubelet ${path}` : `${path}, which kubelet.service starts,`} cannot be started by systemd: ${reason(why)}.`,
      remedy: !path.endsWith('/kubelet')
        ? 'Correct ExecStartPre and ExecStart of kubelet.service and its drop-ins (systemctl cat kubelet), or install that program there with mode 0755.'
        : /Exec format/.test(why ?? '')
          ? "Install the kubelet for this machine's architecture in the image."
          : /ermission/.test(why ?? '')
            ? 'Make it executable for systemd: mode 0755, correct SELinux labels (restorecon), and a file system that is not mounted noexec.'
            : 'Install the kubelet where kubelet.service expects it, with mode 0755.',
    }),
  ),
  rule(/kubelet\.service: Control process exited, code=\w+, status=(?!203\/)(\S+)/, ([, status]) => ({
    code: 'KubeletNotStarted',
    cause: `The kubelet was not started: a command before it failed with exit status ${status} (ExecStartPre of kubelet.service).`,
    remedy:
      "Read that command's output (journalctl -u kubelet); systemctl cat kubelet shows which file it is in.",
  })),
  rule(/kubelet\.service: Failed to load environment files: (.*)/, ([, why]) => ({
    code: 'KubeletNotStarted',
    cause: `The kubelet cannot be started: an EnvironmentFile of kubelet.service is missing (${reason(why)}).`,
    remedy: 'Create the file, or write a minus before its name in the unit (EnvironmentFile=-/path).',
  })),
  rule(
    /kubelet\.service: (?:A process of this unit has been killed by the OOM killer|Failed with result 'oom-kill')/,
    () => ({
      code: 'OutOfMemory',
      cause: 'The kernel killed the kubelet because the machine ran out of memory.',
    }),
  ),
];

const cloudRules: Rule[] = [
  rule(/could not init cloud provider "?([\w-]+)"?: (.*)/, ([, name, why]) => ({
    code: 'KubeletCrashing',
    cause: `The kubelet exits because its cloud provider ${name} cannot be used: ${reason(why)}.`,
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
  /"command failed" err="(.*)(?:"|[>…]$)|"Failed to (?:run|parse|validate|load|construct) kubelet[^"]*" err="(.*)"|^F\d{4} \S+ +\d+ [\w.-]+:\d+\] (.*)|\] failed to run Kubelet: (.*)|"Failed to start (?:ContainerManager|cAdvisor)" err="(.*)"|^panic: (.*)|^[Ee]rror: (.*)/;

/** What the kubelet said last before it ended, if anything that looks like a reason. */
export function kubeletLastWords(lines: readonly string[]): string | undefined {
  for (let i = lines.length - 1; i >= 0; i--) {
    const match = LAST_WORDS.exec(plainEnd(lines[i] ?? ''));
    if (match !== null) return reason(plain(match.slice(1).find((part) => part !== undefined) ?? ''));
  }
  return undefined;
}

const plainEnd = (line: string): string => line.trim().slice(0, 2_000);
