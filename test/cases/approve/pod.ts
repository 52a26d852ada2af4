import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { root } from '../../../build/project.ts';
import type { ManagementCluster } from '../../support/controller/management-cluster.ts';

const NAMESPACE = 'slipway-system';
/** What a pod finds its ServiceAccount in; nobody else sees this one. */
const MOUNT = [
  'mount -t tmpfs -o mode=755 tmpfs /run',
  'mkdir -p /run/secrets/kubernetes.io',
  'cp -r "$1" /run/secrets/kubernetes.io/serviceaccount',
  'shift',
  'exec "$@"',
].join(' && ');

/** Arguments of the approver's Deployment, but for the ports, which may be another one's here. */
export function deployedArguments(): string[] {
  const text = readFileSync(join(root, 'manifests/approver/deployment.yaml'), 'utf8');
  const [deployment] = loadAll(text) as [
    { spec: { template: { spec: { containers: { args: string[] }[] } } } },
  ];
  const [approver] = deployment.spec.template.spec.containers;
  return (approver?.args ?? []).map((arg) => arg.replace(/-listen=:\d+$/, '-listen=127.0.0.1:0'));
}

/**
 * Runs a command as a pod of a ServiceAccount does: with a token of its own that the API server made, in the place where pods have
 * it, and nothing else to reach the cluster by.
 */
export async function asPod(
  { api, client }: ManagementCluster,
  account: string,
): Promise<(command: readonly string[]) => readonly string[]> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`;
  const { status } = await client.request<{ status: { token: string } }>('POST', path, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const folder = join(api.dir, `pod-${account}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'token'), status.token, { mode: 0o600 });
  writeFileSync(join(folder, 'namespace'), NAMESPACE);
  cpSync(join(api.dir, 'ca.crt'), join(folder, 'ca.crt'));
  const { hostname, port } = api.url;
  const environment = [`KUBERNETES_SERVICE_HOST=${hostname}`, `KUBERNETES_SERVICE_PORT=${port}`];
  const within = ['env', '--unset=KUBECONFIG', `HOME=${folder}`, ...environment];
  return (command) => [...within, 'unshare', '--mount', 'sh', '-c', MOUNT, 'sh', folder, ...command];
}
