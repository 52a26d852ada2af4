import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as plain } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- {name: "", cluster: {server: "https://127.0.0.1:6443"}}
`;
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/v1/namespaces/kube-public/configmaps/cluster-info': {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    data: { kubeconfig, 'jws-kubeconfig-abcdef': 'header..signature' },
  },
  '/api/v1/nodes/win-1': {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'win-1' },
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] },
  },
};

/**
 * The cluster that the machine joins, and the kubelet's health, where neither Kubernetes nor a kubelet runs: their answers, by this
 * program, which has one network with the machine. Nothing keeps it from ending.
 *
 * @param shared folder with the PEM files of certificate and key
 */
export async function startCluster(shared: string): Promise<void> {
  const [cert, key] = ['client.pem', 'client.key'].map((name) => readFileSync(join(shared, name)));
  const api = createServer({ cert, key }, (request, answer) => {
    const found = ANSWERS[new URL(request.url ?? '/', 'https://x').pathname];
    answer.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    answer.end(JSON.stringify(found ?? { kind: 'Status', code: 404 }));
  });
  const kubelet = plain((_, answer) => answer.end('ok'));
  for (const [server, port] of [[api, 6443] as const, [kubelet, 10_248] as const]) {
    server.unref().listen(port, '127.0.0.1');
    await once(server, 'listening');
  }
}
