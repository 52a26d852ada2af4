import { readFileSync } from 'node:fs';
import { createServer as plain } from 'node:http';
import { createServer } from 'node:https';

// The cluster that the machine joins, and the kubelet's health, where neither Kubernetes nor a kubelet runs: their answers, on
// this host's side of Wine's network. Arguments: PEM files of certificate and key.
const [certificate = '', key = ''] = process.argv.slice(2);

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

const api = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, answer) => {
  const found = ANSWERS[new URL(request.url ?? '/', 'https://x').pathname];
  answer.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
  answer.end(JSON.stringify(found ?? { kind: 'Status', code: 404 }));
});
const kubelet = plain((_, answer) => answer.end('ok'));
api.listen(6443, '127.0.0.1', () => kubelet.listen(10_248, '127.0.0.1', () => console.log('ready')));
