import { ipFamily } from '../../../../kit/ip-family.ts';
import type { Host } from '../../../host/host.ts';
import {
  type Check,
  isBefore,
  type PreflightFinding,
  preflightFinding,
  readText,
  type Task,
} from '../check.ts';

const MODULES_FILE = '/etc/modules-load.d/slipway.conf';
const SYSCTL_FILE = '/etc/sysctl.d/90-slipway.conf';

interface Setting {
  /** sysctl's name of it. */
  key: string;
  path: string;
  /** The module that brings the setting. */
  module?: string;
  /** Tells whether kubeadm is certain to refuse the machine without it. */
  demanded(task: Task): boolean;
  /** Tells whether nothing needs it. */
  skipped?(task: Task): boolean;
}

const FORWARDING: Setting = {
  key: 'net.ipv4.ip_forward',
  path: '/proc/sys/net/ipv4/ip_forward',
  demanded: usesIp(4),
};

/** kubeadm demands it until 1.29; kube-proxy and most network plugins still need it. */
const BRIDGE: Setting = {
  key: 'net.bridge.bridge-nf-call-iptables',
  path: '/proc/sys/net/bridge/bridge-nf-call-iptables',
  module: 'br_netfilter',
  demanded: (task) => isBefore(task, 30) && usesIp(4)(task),
  skipped: (task) => task.kubeadmMinor !== undefined && !isBefore(task, 30),
};

const FORWARDING_6: Setting = {
  key: 'net.ipv6.conf.default.forwarding',
  path: '/proc/sys/net/ipv6/conf/default/forwarding',
  demanded: usesIp(6),
  skipped: (task) => !usesIp(6)(task),
};

/** The kernel's network settings that pods need. With --mend, the check sets them now and for later boots. */
export const kernelSettings: Check = {
  name: 'kernel settings',
  async run(host, task) {
    const findings: PreflightFinding[] = [];
    // In turn, because mending appends to the same files.
    for (const setting of [FORWARDING, BRIDGE, FORWARDING_6]) {
      if (setting.skipped?.(task) === true || (await isSet(host, setting))) continue;
      // The network's settings are unreadable here: better to say nothing than something wrong.
      if ((await readText(host, FORWARDING.path)) === undefined) continue;
      if (task.mend && (await mend(host, setting))) {
        findings.push(
          preflightFinding('mended', 'KernelSettingMended', `${setting.key} was not 1, and has been set`),
        );
      } else findings.push(await problem(host, setting, task));
    }
    return findings;
  },
};

async function isSet(host: Host, { path }: Setting): Promise<boolean> {
  return (await readText(host, path))?.startsWith('1') === true;
}

async function problem(
  host: Host,
  { key, path, module, demanded }: Setting,
  task: Task,
): Promise<PreflightFinding> {
  const isThere = (await readText(host, path)) !== undefined;
  const why =
    isThere || module === undefined ? `${key} is not 1` : `the kernel module ${module} is not loaded`;
  const remedy =
    isThere || module === undefined
      ? `Set ${key} = 1 in a file of /etc/sysctl.d of the image, or run slipway preflight --mend.`
      : `Name ${module} in a file of /etc/modules-load.d of the image, or run slipway preflight --mend.`;
  const kubeadmCheck = `FileContent-${path.replaceAll('/', '-')}`;
  return preflightFinding(demanded(task) ? 'fatal' : 'warning', 'KernelSettingWrong', why, {
    remedy,
    kubeadmCheck,
  });
}

/** Loads the module and sets the value. @returns whether the kernel then has it */
async function mend(host: Host, setting: Setting): Promise<boolean> {
  const { key, module } = setting;
  if (module !== undefined && (await readText(host, setting.path)) === undefined)
    await host.processes.run({ argv: ['modprobe', module], timeoutMs: 10_000 });
  await host.processes.run({ argv: ['sysctl', '-q', '-w', `${key}=1`], timeoutMs: 10_000 });
  if (!(await isSet(host, setting))) return false;
  if (module !== undefined) await remember(host, MODULES_FILE, module);
  await remember(host, SYSCTL_FILE, `${key} = 1`);
  return true;
}

async function remember(host: Host, path: string, line: string): Promise<void> {
  const before = (await readText(host, path)) ?? '';
  if (before.split('\n').includes(line)) return;
  await host.files.write(path, `${before}${line}\n`, { mode: 0o644 });
}

/**
 * kubeadm checks the family of the address that it knows: the joined API server's, if that is no name, or the
 * one that an init advertises.
 */
function usesIp(family: 4 | 6): (task: Task) => boolean {
  return ({ config }) => {
    // Without a configuration: the address of an image's first default route, nearly always IPv4.
    if (config === undefined) return family === 4;
    const { verb, endpoints, advertiseAddress } = config;
    if (verb === 'init') return ipFamily(advertiseAddress ?? '0.0.0.0') === family;
    const host = /^\[?(.*?)\]?:\d+$/.exec(endpoints[0] ?? '')?.[1] ?? '';
    return ipFamily(host) === family;
  };
}
