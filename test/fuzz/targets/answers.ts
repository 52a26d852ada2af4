import { readKubeconfig } from '../../../src/agent/cluster/kubeconfig.ts';
import { awaitNodeName } from '../../../src/agent/cluster/node-name.ts';
import { readNode } from '../../../src/agent/cluster/read-node.ts';
import * as parse from '../../../src/agent/diagnosis/evidence/parse.ts';
import { RUN_DIR } from '../../../src/agent/document/paths.ts';
import { HostError } from '../../../src/agent/host/host.ts';
import { parseUnits } from '../../../src/agent/host/show-units.ts';
import { ATTEMPT_NOTE, readAttempt } from '../../../src/agent/kubeadm/repeat/attempt-note.ts';
import { findEndpoints } from '../../../src/agent/kubeadm/repeat/etcd/endpoints.ts';
import { resolveMembership } from '../../../src/agent/kubeadm/repeat/etcd/membership.ts';
import { INVENTORY, readInventory } from '../../../src/agent/kubeadm/repeat/inventory.ts';
import { agentProcess } from '../../../src/agent/report/watch/agent-process.ts';
import { readCloudInitState } from '../../../src/agent/report/watch/boot/cloud-init.ts';
import { jsonLines as watchLines } from '../../../src/controller/kube/json-lines.ts';
import { sensitive } from '../../../src/secrets/sensitive.ts';
import { filesIn, jsons, KUBECONFIG_WORDS, testTexts, texts } from '../corpus.ts';
import { memoryHost } from '../memory-host.ts';
import type { Target } from '../target.ts';

const MOST_LINE_BYTES = 8 * 1024 * 1024;

const KUBECONFIG = `apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: k, user: u, namespace: n}}]
clusters: [{name: k, cluster: {server: 'https://10.0.0.1:6443', certificate-authority-data: QQ==}}]
users: [{name: u, user: {client-certificate: /a.pem, client-key-data: QQ==}}]
`;
const NODE = {
  kind: 'Node',
  metadata: { name: 'node-1' },
  spec: { providerID: 'p://1' },
  status: {
    conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'cni' }],
    nodeInfo: { bootID: 'b-2', systemUUID: 'u' },
  },
};
const PODS = {
  items: [
    {
      metadata: {
        annotations: { 'kubeadm.kubernetes.io/etcd.advertise-client-urls': 'https://10.0.0.1:2379' },
      },
    },
  ],
};
const MEMBERS = {
  members: [
    {
      ID: '1',
      name: 'a',
      peerURLs: ['https://10.0.0.1:2380'],
      clientURLs: ['https://10.0.0.1:2379'],
      isLearner: true,
    },
  ],
};
const CONTAINERS = {
  containers: [
    { id: 'a', metadata: { name: 'etcd', attempt: 2 }, state: 'CONTAINER_EXITED', createdAt: '1' },
  ],
};

/** Files of kubeadm that a power loss or a person may have damaged. */
export const kubeconfig: Target = {
  name: 'kubeconfig',
  dictionary: [...KUBECONFIG_WORDS, 'certificate-authority'],
  corpus: () => texts(KUBECONFIG),
  refuses: (error) => error instanceof HostError,
  run: (bytes) => readKubeconfig(memoryHost({ '/k': bytes, '/a.pem': 'PEM' }), '/k'),
};

/** What servers of the cluster answer to the agent: the API server and etcd. */
export const answers: Target = {
  name: 'answers',
  dictionary: [
    'items',
    'members',
    'status',
    'conditions',
    'metadata',
    'annotations',
    'clientURLs',
    'peerURLs',
    'providerID',
    '"type":"Ready"',
    'https://10.0.0.1:2380',
  ],
  corpus: () =>
    jsons(NODE, PODS, MEMBERS, { error: 'etcdserver: unhealthy cluster', message: 'm' }, { leader: '1' }),
  run: async (bytes) => {
    const body = bytes.toString('utf8').slice(0, 65_536);
    const files = {
      '/etc/kubernetes/admin.conf': KUBECONFIG,
      '/etc/kubernetes/manifests/kube-apiserver.yaml':
        'kube-apiserver.advertise-address.endpoint: 10.0.0.1:6443\n--kubelet-client-certificate=/pki/apiserver-kubelet-client.crt\n',
      ...Object.fromEntries(
        ['ca.crt', 'server.crt', 'server.key'].map((name) => [`/pki/etcd/${name}`, 'PEM']),
      ),
    };
    const host = () => memoryHost(files, () => ({ status: 200, body }));
    const signal = AbortSignal.abort();
    const common = { signal, onProgress: () => undefined };
    const identity = { server: 'https://10.0.0.1:6443', certificate: 'c', key: 'k' } as Parameters<
      typeof readNode
    >[1];
    return {
      node: await readNode(host(), identity, 'node-1'),
      name: await awaitNodeName(host(), {
        ...common,
        nodeName: 'node-1',
        endpoint: '10.0.0.1:6443',
        ca: 'PEM',
        token: sensitive('t'),
        graceMs: 0,
      }),
      endpoints: await findEndpoints(host()),
      membership: await resolveMembership(host(), { ...common, patienceMs: 0 }),
      clusterInfo: parse.parseClusterInfo(body),
    };
  },
};

/** Small files that other programs and earlier runs leave. */
export const stateFiles: Target = {
  name: 'state-files',
  dictionary: [
    'v1',
    'stage',
    'errors',
    'datasource',
    'pid',
    'startTime',
    'version',
    'entries',
    'instance',
    'verb',
    'code',
    'resumed',
  ],
  corpus: () =>
    jsons(
      { v1: { stage: 'modules-final', datasource: 'NoCloud', init: { errors: ['e'], start: 1 } } },
      { pid: 7, startTime: '123' },
      {
        version: 2,
        instance: 'i-1',
        document: 'd',
        entries: { '/a': { kind: 'file', mode: 420, uid: 0, gid: 0 } },
        etcdEmpty: true,
        truncated: false,
      },
      {
        instance: 'i-1',
        verb: 'join',
        code: 'KubeadmTimedOut',
        phase: 'preflight',
        resumed: 1,
        knownToken: 'abcdef',
      },
    ),
  run: async (bytes) => {
    const paths = [
      '/run/cloud-init/status.json',
      '/run/cloud-init/result.json',
      `${RUN_DIR}/agent.lock`,
      INVENTORY,
      ATTEMPT_NOTE,
    ];
    const host = memoryHost(Object.fromEntries(paths.map((path) => [path, bytes.subarray(0, 4_096)])));
    return {
      cloudInit: await readCloudInitState(host),
      agent: await agentProcess(host),
      inventory: await readInventory(host, 'i-1'),
      attempt: await readAttempt(host, { instance: 'i-1', verb: 'join' }),
    };
  },
};

/** What the machine's own tools print about it. */
export const tools: Target = {
  name: 'tools',
  dictionary: [
    'containers',
    'metadata',
    'status',
    'exitCode',
    'Id=',
    'NRestarts=',
    'users:(("',
    'pid=',
    'MemAvailable: ',
  ],
  corpus: () => [
    ...jsons(CONTAINERS, { status: { exitCode: 1, reason: 'Error' } }),
    ...texts(...testTexts('src/agent/diagnosis/evidence')),
    ...filesIn('src/agent/diagnosis/fixtures/logs', '.txt').slice(0, 4),
  ],
  run: (bytes) => {
    const text = bytes.toString('utf8');
    return [
      ...[
        parse.parseJournal(text),
        parseUnits(text).map(parse.unitState),
        parse.parseDisks(text),
        parse.parseMemory(text),
        parse.parseSwaps(text),
      ],
      ...[
        parse.parseListeners(text),
        parse.parseContainers(text),
        parse.parseContainerEnd(text),
        parse.parseContainerLog(text, 9),
      ],
    ];
  },
};

/** A watch of the API server: lines of JSON that come in pieces. */
export const watch: Target = {
  name: 'watch',
  dictionary: ['\n', '{"type":"ADDED","object":', '{"type":"BOOKMARK"', '}'],
  corpus: () => [
    Buffer.concat(
      jsons({ type: 'ADDED', object: NODE }, { type: 'MODIFIED', object: NODE }).flatMap((line) => [
        line,
        Buffer.from('\n'),
      ]),
    ),
  ],
  refuses: (error) =>
    error instanceof SyntaxError ||
    (error instanceof Error && error.message.startsWith('a line of the watch')),
  run: async (bytes) => {
    const values: unknown[] = [];
    // A value as deep as a line can make it is read, but not written down again.
    for await (const value of watchLines(pieces(bytes), MOST_LINE_BYTES, () => undefined))
      values.push(Object.keys(Object(value)));
    return values;
  },
};

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 100) yield bytes.subarray(from, from + 100);
}
