/**
 * User data in the shape in which Cluster API's kubeadm provider renders it (contract, sections 2.1 to 2.5): jinja
 * header, keys in its order, commands double-quoted, the kubeadm line with its two spaces, certificates in the user
 * data of every control-plane machine.
 */

import type { ClusterData } from './cluster-data.ts';
import {
  clusterConfiguration,
  initConfiguration,
  type JoinOptions,
  joinConfiguration,
} from './kubeadm-configuration.ts';

export interface MachineOptions extends Pick<JoinOptions, 'name' | 'discovery' | 'kubeletExtraArgs'> {
  preKubeadmCommands?: string[];
  postKubeadmCommands?: string[];
  bootCommands?: string[];
  files?: { path: string; content: string; permissions?: string; encoding?: string }[];
}

interface File {
  path: string;
  permissions: string;
  content: string;
  encoding?: string;
}

/** For the machine that makes the cluster. */
export function controlPlaneInit(cluster: ClusterData, ip: string, options: MachineOptions = {}): string {
  const config = `---\n${clusterConfiguration(cluster)}\n---\n${initConfiguration(cluster, ip, options)}`;
  const files = [...certificateFiles(cluster), kubeadmFile('/run/kubeadm/kubeadm.yaml', config)];
  return render(
    files,
    "'kubeadm init --config /run/kubeadm/kubeadm.yaml  && echo success > /run/cluster-api/bootstrap-success.complete'",
    options,
  );
}

/** For a further control-plane machine: its certificates arrive in the user data, never by `--certificate-key`. */
export function controlPlaneJoin(cluster: ClusterData, ip: string, options: MachineOptions = {}): string {
  return join(
    joinConfiguration(cluster, { ...options, advertiseAddress: ip }),
    certificateFiles(cluster),
    options,
  );
}

/** For a worker. */
export function workerJoin(cluster: ClusterData, options: MachineOptions = {}): string {
  return join(`---\n${joinConfiguration(cluster, options)}`, [], options);
}

/** NoCloud metadata. */
export function metaData(hostname: string): string {
  return `instance-id: ${hostname}-0001\nlocal-hostname: ${hostname}\n`;
}

function join(config: string, certificates: File[], options: MachineOptions): string {
  const files = [...certificates, kubeadmFile('/run/kubeadm/kubeadm-join-config.yaml', config)];
  return render(
    files,
    'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/cluster-api/bootstrap-success.complete',
    options,
  );
}

function certificateFiles({ certificates }: ClusterData): File[] {
  return certificates.files.map(({ path, pem }) => ({
    path: `/etc/kubernetes/pki/${path}`,
    permissions: path.endsWith('.key') ? '0600' : '0640',
    content: pem,
  }));
}

function kubeadmFile(path: string, content: string): File {
  return { path, permissions: '0640', content };
}

function render(files: File[], kubeadm: string, options: MachineOptions): string {
  const { bootCommands = [], preKubeadmCommands = [], postKubeadmCommands = [] } = options;
  // spec.files stand between the certificates and the kubeadm configuration.
  const extra: File[] = (options.files ?? []).map((file) => ({ permissions: '0640', ...file }));
  const ordered = [...files.slice(0, -1), ...extra, ...files.slice(-1)];
  const list = (commands: string[]) => commands.map((command) => `  - ${JSON.stringify(command)}\n`).join('');
  return `## template: jinja
#cloud-config

write_files:
${ordered.map(renderFile).join('')}-   path: /run/cluster-api/placeholder
    owner: root:root
    permissions: '0640'
    content: "This placeholder file is used to create the /run/cluster-api sub directory in a way that is compatible with both Linux and Windows (mkdir -p /run/cluster-api does not work with Windows)"
${bootCommands.length > 0 ? `bootcmd:\n${list(bootCommands)}` : ''}runcmd:
${list(preKubeadmCommands)}  - ${kubeadm}
${list(postKubeadmCommands)}`;
}

function renderFile({ path, permissions, content, encoding }: File): string {
  const body = content
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `      ${line}\n`)
    .join('');
  const encoded = encoding === undefined ? '' : `    encoding: "${encoding}"\n`;
  return `-   path: ${path}\n${encoded}    owner: root:root\n    permissions: '${permissions}'\n    content: |\n${body}\n`;
}
