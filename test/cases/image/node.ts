import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../../build/project.ts';
import { controlPlaneTaint, minorOf } from '../../lab/kubernetes/release.ts';
import type { Lab, Machine, MachineFile } from '../../lab/lab.ts';
import { clusterConfiguration, initConfiguration } from '../../support/cluster-api/kubeadm-configuration.ts';
import { newCluster } from '../../support/cluster-api/lab-cluster.ts';
import { waitUntilEstablished } from '../../support/controller/established.ts';
import { clusterApiCrds } from '../../support/controller/management-cluster.ts';
import { kubectl, waitForReady } from '../../support/machines.ts';

/** Where the checkout's manifests lie on the machine. */
export const MANIFESTS = '/root/manifests';
const CRDS = '/root/crds';
const CONFIG = '/root/kubeadm.yaml';
const KUBERNETES_SERVICE = '10.96.0.1';

/** A cluster of one machine, made by the real kubeadm, with pods and with Cluster API's Machines. */
export async function manageOneNode(lab: Lab): Promise<Machine> {
  const machine = await lab.up('management', { files: { ...manifestFiles(), ...crdFiles() } });
  const cluster = await newCluster(machine.ip);
  const configuration = [
    clusterConfiguration(cluster),
    initConfiguration(cluster, machine.ip, { name: machine.name }),
  ];
  await machine.put(CONFIG, configuration.join('---\n'), 0o600);
  // The lab has neither program; `forward` stands in for kube-proxy, and nothing here asks a name server.
  await machine.execOk(['kubeadm', 'init', `--config=${CONFIG}`, '--skip-phases=addon'], {
    timeoutMs: 600_000,
  });
  await forward(machine, KUBERNETES_SERVICE, 443, [`${machine.ip}:6443`]);
  await waitForReady(machine, [machine.name]);
  const minor = minorOf(cluster.kubernetesVersion);
  await kubectl(machine, 'taint', 'nodes', '--all', `${controlPlaneTaint(minor)}-`);
  await kubectl(machine, 'apply', '--server-side', '--validate=false', `--filename=${CRDS}`);
  await waitUntilEstablished((words) => kubectl(machine, ...words));
  return machine;
}

/** Puts an image where the kubelet finds it. */
export async function importImage(machine: Machine, tar: string): Promise<void> {
  await machine.execOk(['ctr', '--namespace', 'k8s.io', 'images', 'import', '-'], {
    input: await readFile(tar),
    timeoutMs: 600_000,
  });
}

/**
 * What kube-proxy does for one port of a Service: connections to its address, of pods and of the machine, go to
 * `endpoints` (ADDRESS:PORT) by turns.
 */
export async function forward(
  machine: Machine,
  address: string,
  port: number,
  endpoints: readonly string[],
): Promise<void> {
  const chain = `SVC-${address}-${port}`;
  const rules = endpoints.map((endpoint, index) => {
    const left = endpoints.length - index;
    const turn = left > 1 ? `-m statistic --mode nth --every ${left} --packet 0` : '';
    return `-A ${chain} -p tcp ${turn} -j DNAT --to-destination ${endpoint}`;
  });
  // All at once: a connection that begins between two rules would be lost until it times out.
  await machine.execOk(['iptables-restore', '--noflush'], {
    input: `*nat\n:${chain} - [0:0]\n${rules.join('\n')}\nCOMMIT\n`,
  });
  const match = `-d ${address}/32 -p tcp --dport ${port} -j ${chain}`;
  const hook = (from: string) =>
    `iptables -t nat -C ${from} ${match} 2>/dev/null || iptables -t nat -A ${from} ${match}`;
  await machine.execOk(['sh', '-ec', ['PREROUTING', 'OUTPUT'].map(hook).join('\n')]);
}

function manifestFiles(): Record<string, MachineFile> {
  const folder = join(root, 'manifests');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => [`${MANIFESTS}/${name}`, { from: join(folder, name) }]),
  );
}

function crdFiles(): Record<string, MachineFile> {
  return Object.fromEntries(clusterApiCrds().map((from, index) => [`${CRDS}/${index}.yaml`, { from }]));
}
