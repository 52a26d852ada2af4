/** The `[ERROR Name]` blocks of kubeadm's preflight checks. Names: cmd/kubeadm/app/preflight, 1.20 - 1.34. */
import { tellTogether } from '../../../kit/sentences/alike.ts';
import { codes } from '../../../protocol/codes/codes.ts';
import { ETCD_DIRECTORY_REMEDY } from '../../../protocol/codes/etcd-directory.ts';
import { diagnoseImagePull } from './image.ts';
import type { KubeadmOutput, PreflightFinding } from './output.ts';
import { type Diagnosis, endSentence, type Pattern, shorten } from './pattern.ts';
import { diagnoseRuntime } from './runtime.ts';

type Reader = (finding: PreflightFinding) => Omit<Diagnosis, 'evidence'>;

const simple =
  (code: Diagnosis['code']): Reader =>
  ({ text }) => ({ code, cause: endSentence(capital(shorten(text, 240))) });

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** An address may stand before or behind it: `Port 6443`, `127.0.0.1:10257`, `Port-6443-10.0.0.1`. */
const port: Reader = ({ name, text }) => {
  const number =
    /\bport (\d+)(?![\d.:])/i.exec(text)?.[1] ??
    /[-:](\d+)$/.exec(name)?.[1] ??
    /:(\d+)(?: |$)/.exec(text)?.[1] ??
    /\d+/.exec(name)?.[0] ??
    '';
  return { code: 'PortInUse', cause: `Port ${number} is in use.`, facts: { port: Number(number) } };
};

const program: Reader = ({ name, text }) => {
  const fromText = /^(\S+) not found in system path/.exec(text)?.[1];
  return {
    code: 'ProgramMissing',
    cause: `${fromText ?? name.replace('FileExisting-', '')} is not installed.`,
  };
};

const kernelSetting: Reader = ({ text }) => {
  const path = /(\/proc\/sys\/\S+)/.exec(text)?.[1];
  if (path === undefined) return simple('KernelSettingWrong')({ name: '', text });
  const setting = path.replace('/proc/sys/', '').replaceAll('/', '.');
  const wanted = /not set to (\S+)/.exec(text)?.[1];
  const noModule = /does not exist/.test(text) && setting.startsWith('net.bridge');
  if (noModule) {
    return {
      code: 'KernelSettingWrong',
      cause: `${setting} does not exist: the kernel module br_netfilter is not loaded.`,
      remedy: 'Load br_netfilter at boot (a line in /etc/modules-load.d/k8s.conf).',
    };
  }
  return {
    code: 'KernelSettingWrong',
    cause:
      wanted === undefined ? endSentence(capital(text)) : `The kernel setting ${setting} is not ${wanted}.`,
    ...(wanted === undefined ? {} : { remedy: `Set "${setting} = ${wanted}" in a file in /etc/sysctl.d.` }),
  };
};

/** Texts: k8s.io/system-validators 1.2 to 1.12. */
const system: Reader = ({ text }) => {
  if (/cgroups? v1 support/i.test(text)) {
    return {
      code: 'CgroupsUnsuitable',
      cause: 'This machine uses cgroup v1, which kubeadm and the kubelet no longer accept by default.',
      remedy:
        'Boot the image with cgroup v2 (systemd.unified_cgroup_hierarchy=1), or set failCgroupV1: false for the kubelet and ignore the check SystemVerification.',
    };
  }
  if (/failed to get docker (?:info|version)|Cannot connect to the Docker daemon/.test(text)) {
    return diagnoseRuntime(text);
  }
  if (/unsupported docker version|docker version .* not supported|unsupported graph driver/.test(text)) {
    return simple('ContainerRuntimeUnsuitable')({ name: '', text });
  }
  const cgroups = /missing (?:required )?cgroups?: ?([^\n]*)/.exec(text)?.[1];
  if (cgroups !== undefined) {
    return { code: 'CgroupsUnsuitable', cause: `The kernel has no cgroup controllers ${cgroups.trim()}.` };
  }
  if (/kernel release|kernel version/i.test(text)) {
    return { code: 'KernelTooOld', cause: endSentence(capital(shorten(text, 240))) };
  }
  const program = /exec: "([^"]+)": executable file not found/.exec(text)?.[1];
  if (program !== undefined) {
    return {
      code: 'ProgramMissing',
      cause: `${program}, which kubeadm uses to check the kernel, is not installed.`,
    };
  }
  if (/kernel config|kernel module|CONFIG_\w+/.test(text)) {
    return {
      code: 'KernelSettingWrong',
      cause: endSentence(capital(shorten(text, 240))),
      remedy:
        'Use a kernel with the options that Kubernetes needs. If only its configuration cannot be read (/boot/config-VERSION), ignore the check SystemVerification.',
    };
  }
  return simple('PreflightFailed')({ name: '', text });
};

const service: Reader = ({ name, text }) =>
  /docker|containerd|crio/i.test(name)
    ? {
        code: 'ContainerRuntimeDown',
        cause: endSentence(capital(shorten(text.replace(/, please run.*$/s, ''), 160))),
      }
    : simple('PreflightFailed')({ name, text });

const image: Reader = (finding) => {
  if (/could not connect to the container runtime/.test(finding.text)) return diagnoseRuntime(finding.text);
  if (/unsupported pull policy/.test(finding.text)) return simple('KubeadmConfigInvalid')(finding);
  return diagnoseImagePull(finding);
};

/** It asks each endpoint for its version: with files that may not be there, and an answer that may be too old. */
const externalEtcd: Reader = ({ name, text }) => {
  const missing =
    /couldn't load external etcd's [\w ]*certificate.*?open (\/\S+?): (no such file or directory|permission denied)/s.exec(
      text,
    );
  if (missing !== null) {
    return {
      code: 'CertificatesMissing',
      cause: `A certificate or key for the external etcd cannot be read: ${missing[1]}: ${missing[2]}.`,
      remedy: 'Write the files named in etcd.external of the ClusterConfiguration from user data.',
    };
  }
  if (/couldn't load external etcd's/.test(text)) return simple('CertificateInvalid')({ name, text });
  if (/only supports external etcd version/.test(text))
    return {
      ...simple('VersionSkew')({ name, text }),
      remedy: "Upgrade the external etcd to the version that kubeadm requires; this machine's image is fine.",
    };
  if (/failed to (?:parse|normalize) external etcd/.test(text))
    return simple('KubeadmConfigInvalid')({ name, text });
  return {
    ...simple('EtcdUnhealthy')({ name, text }),
    remedy:
      'Check that the external etcd answers at the endpoints in etcd.external of the ClusterConfiguration, and that routes and firewalls let this machine reach them.',
  };
};

/** A kubelet for another machine, or with a library that is not there, is no missing one. */
const kubeletVersion: Reader = ({ text }) => {
  if (/couldn't parse Kubernetes version/.test(text))
    return simple('KubeadmConfigInvalid')({ name: '', text });
  if (!/executable file not found|couldn't get kubelet version/.test(text))
    return simple(/^couldn't/.test(text) ? 'PreflightFailed' : 'VersionSkew')({ name: '', text });
  const isMissing = /executable file not found/.test(text);
  return {
    code: isMissing ? 'ProgramMissing' : 'KubeletNotStarted',
    cause: `Cannot get the kubelet version: ${endSentence(shorten(text, 160))}`,
    ...(isMissing
      ? {}
      : {
          remedy:
            'Run kubelet --version on the machine, and install a kubelet built for its architecture and libraries in the image.',
        }),
  };
};

/** By the start of the check's name; in order of what a person should mend first. */
const READERS: [start: string, reader: Reader][] = [
  ['IsPrivilegedUser', simple('NotRoot')],
  ['CRI', ({ text }) => diagnoseRuntime(text)],
  [
    'ContainerRuntimeVersion',
    ({ text }) =>
      /^could not\b/.test(text)
        ? diagnoseRuntime(text)
        : simple('ContainerRuntimeUnsuitable')({ name: '', text }),
  ],
  ['FileExisting-', program],
  ['KubeletVersion', kubeletVersion],
  [
    'KubernetesVersion',
    ({ text }) =>
      simple(/couldn't parse/.test(text) ? 'KubeadmConfigInvalid' : 'VersionSkew')({ name: '', text }),
  ],
  ['FileContent-', kernelSetting],
  ['Swap', simple('SwapEnabled')],
  ['NumCPU', simple('MachineTooSmall')],
  [
    'Mem',
    (finding) => simple(/less than/.test(finding.text) ? 'MachineTooSmall' : 'PreflightFailed')(finding),
  ],
  [
    'DirAvailable-',
    (finding) => ({
      ...simple('LeftoversFound')(finding),
      ...(/etcd/.test(finding.name) ? { remedy: ETCD_DIRECTORY_REMEDY } : {}),
    }),
  ],
  ['FileAvailable-', simple('LeftoversFound')],
  ['Port-', port],
  ['ImagePull', image],
  ['ExternalEtcdVersion', externalEtcd],
  [
    'ExternalEtcdClientCertificates',
    ({ text }) =>
      simple(/doesn't exist/.test(text) ? 'CertificatesMissing' : 'CertificateInvalid')({ name: '', text }),
  ],
  ['Hostname', simple('NodeNameInvalid')],
  ['SystemVerification', system],
  ['Service-', service],
  [
    'HTTPProxyCIDR',
    ({ text }) =>
      simple(/parsing CIDR|from the given CIDR/.test(text) ? 'KubeadmConfigInvalid' : 'PreflightFailed')({
        name: '',
        text,
      }),
  ],
  ['HTTPProxy', simple('PreflightFailed')],
];

/** Where a terminal broke the warning, it ends anywhere. */
const TOO_NEW = /^Kubernetes version is greater than kubeadm version\b(?:.*Kubeadm version: (1\.\d{1,3}))?/;
const OF_KUBERNETES = /\/kube-(?:apiserver|controller-manager|scheduler|proxy):v(1\.[\w.+-]{1,60})/;

/** kubeadm only warns of a version that it does not know, and then asks for images of it. */
function ofNewerVersion(
  { warnings }: KubeadmOutput,
  finding: PreflightFinding,
): Omit<Diagnosis, 'evidence'> | undefined {
  const warning = warnings.find(({ name }) => name === 'KubernetesVersion');
  const warned = TOO_NEW.exec(warning?.text ?? '');
  const [, wanted] = OF_KUBERNETES.exec(finding.text) ?? [];
  if (warned === null || wanted === undefined || !finding.name.startsWith('ImagePull')) return undefined;
  const { code, cause = codes()[code].meaning } = image(finding);
  if (!code.startsWith('Image')) return undefined;
  const [, own] = warned;
  return {
    code: 'VersionSkew',
    cause: `The configuration asks for Kubernetes ${wanted}, which is newer than the installed kubeadm${own === undefined ? '' : ` (${own})`} supports: ${cause.charAt(0).toLowerCase()}${cause.slice(1)}`,
    persistence: codes()[code].persistence,
  };
}

/** One finding of each kind, and all things of that kind. */
const ALL_OTHERS = 800;

/**
 * Several findings at once are told as the one that a person must mend first, and the others behind it. What does
 * not pass by itself comes first: as long as it is there, trying again is of no use, whatever else may pass.
 */
export const preflightPattern: Pattern = ({ output }) => {
  const read = output.preflight.map((finding) => {
    const rank = READERS.findIndex(([start]) => finding.name.startsWith(start));
    const reader = READERS[rank]?.[1] ?? simple('PreflightFailed');
    const plain = reader(finding);
    const diagnosis = ofNewerVersion(output, finding) ?? plain;
    const passes = codes()[diagnosis.code].persistence === 'permanent' ? 0 : 1;
    return { finding, passes, rank: rank < 0 ? READERS.length : rank, diagnosis, plain };
  });
  read.sort((a, b) => a.passes - b.passes || a.rank - b.rank);
  const [first, ...others] = read;
  if (first === undefined) return undefined;
  const cause = first.diagnosis.cause ?? codes()[first.diagnosis.code].meaning;
  const more = others.map(({ plain }) => plain.cause ?? codes()[plain.code].meaning);
  const { first: told, also: further } = tellTogether([cause, ...more]);
  const also = further === '' ? '' : ` ${shorten(further, ALL_OTHERS)}`;
  const ports = others.flatMap(({ plain }) => plain.facts?.port ?? []);
  return {
    ...first.diagnosis,
    cause: `${told}${also}`,
    facts: { ...first.diagnosis.facts, ...(ports.length === 0 ? {} : { ports }), also },
    evidence: `[ERROR ${first.finding.name}]: ${shorten(first.finding.text, 240)}`,
  };
};
