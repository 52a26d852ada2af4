import { readKubeconfig } from '../cluster/kubeconfig.ts';
import { BOOTSTRAP_KUBECONFIG, KUBELET_KUBECONFIG } from '../cluster/kubelet-identity.ts';
import { KUBELET_DROP_IN } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { storeToken } from './bootstrap-token.ts';
import { execApiVersion } from './exec-credential.ts';

/** Where packages and images have it; what else is in somebody's PATH is not called. */
const KUBELETS = ['/usr/bin/kubelet', '/usr/local/bin/kubelet', '/opt/bin/kubelet'];
/** A kubelet that does not say its version is none of the old ones. */
const NEW_MINOR = 22;

/**
 * Writes the kubelet's kubeconfig, whose user is `slipway credential`, once kubeadm has said where the cluster is.
 *
 * @param agent Path of this program.
 * @returns false where there is one already, or kubeadm has said nothing yet
 * @throws HostError
 */
export async function writeKubeletConfig(host: Host, nodeName: string, agent: string): Promise<boolean> {
  if ((await host.files.stat(KUBELET_KUBECONFIG)) !== undefined) return false;
  const cluster = await readKubeconfig(host, BOOTSTRAP_KUBECONFIG);
  if (!cluster) return false;
  await storeToken(host, cluster);
  const apiVersion = execApiVersion(await kubeletMinor(host));
  const name = 'slipway';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      {
        name,
        cluster: {
          server: cluster.server,
          ...(cluster.ca === undefined
            ? {}
            : { 'certificate-authority-data': Buffer.from(cluster.ca).toString('base64') }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, namespace: 'default', user: name } }],
    users: [
      {
        name,
        user: {
          exec: {
            ...{ apiVersion, command: agent, args: ['credential', `--node=${nodeName}`] },
            // Only v1 has it, and demands it.
            ...(apiVersion.endsWith('/v1') ? { interactiveMode: 'Never' } : {}),
          },
        },
      },
    ],
  };
  await host.files.write(KUBELET_KUBECONFIG, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return true;
}

/**
 * Has kubelet.service use `slipway credential`, or not any more. A kubelet that has a bootstrap kubeconfig would make a key of
 * its own, and one that renews its certificate itself wants no plugin.
 *
 * @throws HostError
 */
export async function configureKubelet(
  host: Host,
  nodeName: string | undefined,
  agent: string,
): Promise<void> {
  const text = (await host.files.readIfPresent(KUBELET_DROP_IN))?.toString('utf8');
  if (nodeName === undefined && text === undefined) return;
  const wanted = nodeName === undefined ? undefined : dropIn(nodeName, agent);
  if (text === wanted) return;
  if (wanted === undefined) await host.files.remove(KUBELET_DROP_IN);
  else await host.files.write(KUBELET_DROP_IN, wanted, { mode: 0o644 });
  await host.processes.run({ argv: ['systemctl', 'daemon-reload'], timeoutMs: 60_000 });
}

function dropIn(nodeName: string, agent: string): string {
  return `# Written by slipway: the kubelet's certificate comes from slipway credential (report.controller.kubelet).
[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--kubeconfig=${KUBELET_KUBECONFIG} --rotate-certificates=false"
ExecStartPre=${agent} credential --set-up --node=${nodeName}
`;
}

async function kubeletMinor(host: Host): Promise<number> {
  for (const path of KUBELETS) {
    if ((await host.files.stat(path)) === undefined) continue;
    const { stdout } = await host.processes.run({ argv: [path, '--version'], timeoutMs: 10_000 });
    return Number(/v1\.(\d+)\./.exec(stdout)?.[1] ?? NEW_MINOR);
  }
  return NEW_MINOR;
}
