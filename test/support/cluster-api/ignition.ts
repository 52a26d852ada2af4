import type { MachineFile } from '../../lab/lab.ts';
import type { ClusterData } from './cluster-data.ts';
import { joinConfiguration } from './kubeadm-configuration.ts';

interface IgnitionOptions {
  preKubeadmCommands?: string[];
  /** Replaces the right one, to make joins that fail. */
  caCertHash?: string;
}

/**
 * What is on a worker's disk after Ignition has applied a configuration of Cluster API's kubeadm provider
 * (bootstrap/kubeadm/pkg/ignition/clc): the unit, its script and kubeadm's configuration, with the same commands.
 */
export function ignitionWorker(
  cluster: ClusterData,
  name: string,
  options: IgnitionOptions = {},
): Record<string, MachineFile> {
  return {
    '/etc/systemd/system/kubeadm.service': { content: UNIT },
    '/etc/systemd/system/multi-user.target.wants/kubeadm.service': { symlink: '../kubeadm.service' },
    '/etc/kubeadm.sh': { content: script(options.preKubeadmCommands ?? []), mode: 0o700 },
    '/etc/kubeadm.yml': { content: ignitionJoin(cluster, name, options.caCertHash), mode: 0o600 },
  };
}

const UNIT = `[Unit]
Description=kubeadm
# Run only once. After successful run, this file is moved to /tmp/.
ConditionPathExists=/etc/kubeadm.yml
After=network.target
[Service]
# To not restart the unit when it exits, as it is expected.
Type=oneshot
ExecStart=/bin/bash /etc/kubeadm.sh
[Install]
WantedBy=multi-user.target
`;

function script(preKubeadmCommands: string[]): string {
  return `#!/bin/bash
set -e
${preKubeadmCommands.map((command) => `${command}\n`).join('')}
kubeadm join --config /etc/kubeadm.yml 
mkdir -p /run/cluster-api && echo success > /run/cluster-api/bootstrap-success.complete
mv /etc/kubeadm.yml /tmp/
`;
}

/** kubeadm's configuration for a worker, which the unit gives to kubeadm as it is. */
export function ignitionJoin(cluster: ClusterData, name: string, caCertHash?: string): string {
  const discovery = { timeout: '5s', ...(caCertHash === undefined ? {} : { caCertHash }) };
  return `---\n${joinConfiguration(cluster, { name, discovery })}`;
}
