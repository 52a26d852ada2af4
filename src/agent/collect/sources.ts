/** The list of what is collected. Nothing else gets in: no kubeconfig, no key, no user data. */
import { JOURNAL, OUTCOME, OUTCOME_ASIDE, RUN_DIR } from '../document/paths.ts';
import type { PlaceBelow } from '../host/files.ts';
import { type Host, HostError } from '../host/host.ts';

const MEBIBYTE = 1024 * 1024;

export type Source = {
  /** Path in the archive. */
  path: string;
  /** Remove the values of settings whose names mean a secret. */
  settings?: boolean;
  /** Text removed wherever it occurs. */
  without?: RegExp;
} & (
  | { file: string; maxBytes: number }
  | { place: PlaceBelow; maxBytes: number }
  | { argv: [string, ...string[]] }
);

const file = (path: string, from: string, maxBytes = 256 * 1024): Source => ({ path, file: from, maxBytes });
const settings = (path: string, from: string): Source => ({ ...file(path, from), settings: true });
const command = (path: string, ...argv: [string, ...string[]]): Source => ({ path, argv });

/** The most telling sources first, because the limits cut off the end. */
export async function sources(host: Host): Promise<Source[]> {
  return [
    // Machine identifiers stay on the machine.
    { ...file('slipway/journal.jsonl', JOURNAL, 2 * MEBIBYTE), without: /,"noted":\{[^{}]*\}/g },
    file('slipway/outcome.json', OUTCOME),
    ...((await host.files.stat(OUTCOME_ASIDE)) ? [file('slipway/outcome-aside.json', OUTCOME_ASIDE)] : []),
    ...(await kubeadmFiles(host)),
    unitLog('kubelet'),
    unitLog('containerd'),
    unitLog('slipway'),
    unitLog('slipway-report'),
    unitLog('slipway-checkin'),
    file('cloud-init/cloud-init-output.log', '/var/log/cloud-init-output.log', MEBIBYTE),
    file('cloud-init/cloud-init.log', '/var/log/cloud-init.log', MEBIBYTE),
    file('cloud-init/status.json', '/run/cloud-init/status.json'),
    ...(await containers(host)),
    ...(await podLogs(host)),
    settings('kubelet/config.yaml', '/var/lib/kubelet/config.yaml'),
    settings('kubelet/kubeadm-flags.env', '/var/lib/kubelet/kubeadm-flags.env'),
    settings('containerd/config.toml', '/etc/containerd/config.toml'),
    command('units/states.txt', 'systemctl', 'show', '-p', PROPERTIES, ...UNITS),
    command('units/failed.txt', 'systemctl', '--failed', '--no-pager', '--plain'),
    command('versions/kubeadm.txt', 'kubeadm', 'version', '-o', 'short'),
    command('versions/kubelet.txt', 'kubelet', '--version'),
    command('versions/containerd.txt', 'containerd', '--version'),
    command('versions/crictl.txt', 'crictl', '--version'),
    file('versions/kernel.txt', '/proc/version'),
    file('versions/os-release.txt', '/etc/os-release'),
    settings('machine/command-line.txt', '/proc/cmdline'),
    file('machine/meminfo.txt', '/proc/meminfo'),
    file('machine/load.txt', '/proc/loadavg'),
    file('machine/swaps.txt', '/proc/swaps'),
    file('machine/pressure-memory.txt', '/proc/pressure/memory'),
    file('machine/pressure-io.txt', '/proc/pressure/io'),
    command('machine/disks.txt', 'df', '-Pk'),
    command('machine/inodes.txt', 'df', '-Pi'),
    command('machine/block-devices.txt', 'lsblk'),
    file('machine/mounts.txt', '/proc/self/mounts'),
    // Only names: arguments may hold secrets.
    command('machine/processes.txt', 'ps', '-eo', 'pid,ppid,stat,etimes,rss,comm'),
    command(
      'machine/kernel.log',
      'journalctl',
      '-k',
      '-b',
      '-o',
      'short-iso',
      '--no-pager',
      '-q',
      '-n',
      '1000',
    ),
    command('network/addresses.txt', 'ip', '-brief', 'address'),
    command('network/routes.txt', 'ip', 'route', 'show', 'table', 'main'),
    command('network/listeners.txt', 'ss', '-Hltnp'),
    file('network/resolv.conf', '/etc/resolv.conf'),
    file('network/hosts', '/etc/hosts'),
    command(
      'kubernetes/files.txt',
      'ls',
      '-laR',
      '/etc/kubernetes',
      '/var/lib/kubelet/pki',
      '/etc/cni/net.d',
    ),
  ];
}

const UNITS = [
  'kubelet.service',
  'containerd.service',
  'slipway.service',
  'slipway-network.service',
  'slipway-report.service',
  'slipway-checkin.service',
  'slipway-checkin.timer',
  'slipway-checkin.path',
];
const PROPERTIES = 'Id,LoadState,ActiveState,SubState,Result,NRestarts,ExecMainStatus,ActiveEnterTimestamp';

function unitLog(unit: string): Source {
  const how = ['-b', '-o', 'short-iso', '--no-pager', '-q', '-n', '2000'];
  return command(`units/${unit}.log`, 'journalctl', '-u', unit, ...how);
}

/** kubeadm needs no crictl since 1.31, so containerd's own tool may be all there is. */
async function containers(host: Host): Promise<Source[]> {
  const ctr = ['ctr', '--namespace', 'k8s.io'] as const;
  const isThere = async (name: string): Promise<boolean> => (await host.processes.which(name)) !== undefined;
  return !(await isThere('crictl')) && (await isThere('ctr'))
    ? [
        command('containers/ps.txt', ...ctr, 'containers', 'ls'),
        command('containers/tasks.txt', ...ctr, 'tasks', 'ls'),
        command('containers/images.txt', ...ctr, 'images', 'ls'),
      ]
    : [
        command('containers/ps.txt', 'crictl', 'ps', '-a'),
        command('containers/pods.txt', 'crictl', 'pods'),
        command('containers/images.txt', 'crictl', 'images'),
      ];
}

/** kubeadm's configuration, as Cluster API and Slipway write it, and the static pods from kubeadm. */
async function kubeadmFiles(host: Host): Promise<Source[]> {
  const found: Source[] = [];
  for (const directory of ['/run/kubeadm', '/etc/kubernetes/manifests']) {
    for (const name of await host.files.list(directory)) {
      if (/\.ya?ml$/.test(name)) found.push(settings(`kubernetes/${name}`, `${directory}/${name}`));
    }
  }
  return [...found, settings('kubernetes/kubeadm-as-read.yaml', `${RUN_DIR}/kubeadm.yaml`)];
}

const PODS = '/var/log/pods';
const MAX_LOGS = 24;
const MAX_LOG_BYTES = 64 * 1024;
/** Pods that can write there can create any number of entries. */
const MAX_ENTRIES = { pods: 2_000, ofPod: 50, ofContainer: 500 };
/** `kube-system_NAME_UID` and a container's name, as Kubernetes allows them. */
const POD = /^kube-system_([a-z0-9][a-z0-9.-]{0,252})_[A-Za-z0-9-]{1,64}$/;
const CONTAINER = /^[a-z0-9][a-z0-9-]{0,62}$/;
const LOG = /^(\d{1,9})\.log$/;

/**
 * The last two runs of each container in the cluster's own pods; users' pods are left alone. A pod that has this directory of
 * the host can give anything there any name, and is root: no link is followed, and other names count for nothing.
 */
async function podLogs({ files }: Host): Promise<Source[]> {
  const list = (most: number, ...names: string[]): Promise<string[]> =>
    files.listBelow({ base: PODS, names }, most).catch(none);
  const found: Source[] = [];
  for (const pod of await list(MAX_ENTRIES.pods)) {
    const short = POD.exec(pod)?.[1];
    if (short === undefined) continue;
    for (const container of await list(MAX_ENTRIES.ofPod, pod)) {
      if (!CONTAINER.test(container)) continue;
      const logs = (await list(MAX_ENTRIES.ofContainer, pod, container))
        .filter((name) => LOG.test(name))
        .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
        .slice(-2);
      for (const name of logs) {
        found.push({
          path: `containers/${short}/${container}-${name}`,
          place: { base: PODS, names: [pod, container, name] },
          maxBytes: MAX_LOG_BYTES,
        });
        if (found.length === MAX_LOGS) return found;
      }
    }
  }
  return found;
}

/** A directory that cannot be listed, such as a symlink, contains no logs. */
function none(error: unknown): string[] {
  if (error instanceof HostError) return [];
  throw error;
}
