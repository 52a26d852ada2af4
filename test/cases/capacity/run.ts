import { strict as assert } from 'node:assert';
import {
  ALIKE_CONDITION,
  CAPACITY_LABEL,
  CAPACITY_PREFIX,
  type GroupKind,
  type GroupObject,
  groupsPath,
} from '../../../src/controller/capacity/group.ts';
import { KubeClient } from '../../../src/controller/kube/client.ts';
import { findAccess } from '../../../src/controller/kube/kubeconfig.ts';
import { createLog } from '../../../src/controller/log.ts';
import { newSummary } from '../../../src/controller/model/summary.ts';
import { Management } from '../../../src/controller/serve/management.ts';
import { Metrics } from '../../../src/controller/web/metrics.ts';
import { CONTROLLER } from '../../support/controller/api-server.ts';
import { groupObject } from '../../support/controller/group-object.ts';
import { clusterApiCrds, ManagementCluster } from '../../support/controller/management-cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { inventory } from './inventory.ts';

export const about =
  "what machines are is told and kept, and what they brought becomes their group's capacity annotations, on a real API server with Cluster API's CRDs and the rights of the manifests";

const LABELS = {
  MachineDeployment: 'deployment-name',
  MachineSet: 'set-name',
  MachinePool: 'pool-name',
} as const;

export async function run(say: (line: string) => void): Promise<void> {
  if (clusterApiCrds().length === 1)
    say("Cluster API's CRDs are not at hand ($CAPI_CRDS); minimal ones stand in for them");
  for (const version of ['v1beta2', 'v1beta1'] as const) {
    const cluster = await ManagementCluster.start(say, version);
    const client = new KubeClient(findAccess({ path: cluster.api.kubeconfig(CONTROLLER) }));
    const management = new Management({
      ...{ client, version, metrics: new Metrics(), untiedMs: 3_600_000 },
      keepsVerdicts: true,
      tokenKeys: () => [Buffer.alloc(32)],
      log: createLog(() => undefined, 'error'),
    });
    try {
      await management.start();
      management.lead(true);
      for (const kind of Object.keys(LABELS) as GroupKind[]) await group(cluster, management, kind);
      say(
        `${version}: the least of what machines brought, what a person had set, and nothing of ours without the label`,
      );
      await management.stop();
      if (version === 'v1beta2') await inventory(cluster, say);
    } finally {
      await management.stop();
      client.close();
      await cluster.close();
    }
  }
}

async function group(cluster: ManagementCluster, management: Management, kind: GroupKind): Promise<void> {
  const { client, version } = cluster;
  const name = `workers-${kind.toLowerCase()}`;
  const path = groupsPath(version, kind, 'default');
  await client.request('POST', path, {
    body: groupObject(version, kind, name),
    query: { fieldManager: 'somebody' },
  });
  for (const at of [0, 1]) {
    const machine = await cluster.createMachine(`${name}-${at}`, {
      labels: { [`cluster.x-k8s.io/${LABELS[kind]}`]: name },
    });
    management.recordStored({
      ...{ namespace: 'default', name: `${name}-${at}`, epoch: 0, seq: 1, storedAt: 1, writes: 1 },
      spec: {
        ...{ instance: 'i', hostname: 'h', keyDigest: `${name}${at}` },
        enrolment: { method: 'token', at: `2026-01-0${at + 1}T00:00:00Z` },
        machine: { name: `${name}-${at}`, uid: machine.metadata.uid ?? '', by: 'token' },
      },
      summary: {
        ...newSummary(),
        facts: {
          capacity: `cpu=${8 - at} memory=1639324${at}Ki ephemeral-disk=50Gi maxPods=110 gpu-count=2 gpu-type=nvidia.com/gpu`,
          'capacity-labels': `rack=r7,n=${at}`,
          'capacity-taints': 'gpu=true:NoSchedule',
        },
      },
    });
  }
  const read = () => client.request<GroupObject>('GET', `${path}/${name}`);
  const marks = async () => {
    const { annotations = {} } = (await read()).metadata;
    const own = Object.entries(annotations).filter(([key]) => key.startsWith(CAPACITY_PREFIX));
    assert.equal(annotations['example.com/mine'], 'stays');
    return Object.fromEntries(own.map(([key, value]) => [key.slice(CAPACITY_PREFIX.length), value]));
  };
  // Which of the two the controller knows first is open.
  const found = await eventually(`${kind}: the least of two machines`, async () => {
    const now = await marks();
    return now.cpu === '7' && now.memory === '16393240Ki' && now;
  });
  assert.deepEqual(found, {
    ...{ cpu: '7', memory: '16393240Ki', 'ephemeral-disk': '50Gi', maxPods: '50' },
    ...{ 'gpu-count': '2', 'gpu-type': 'nvidia.com/gpu', labels: 'rack=r7', taints: 'gpu=true:NoSchedule' },
  });
  readAsAutoscaler(found);
  const condition = await eventually(`${kind}: a condition of machines that differ`, async () => {
    const { status } = await read();
    const all = version === 'v1beta2' ? status?.conditions : status?.v1beta2?.conditions;
    return all?.find(({ type, status: is }) => type === ALIKE_CONDITION && is === 'False');
  });
  assert.equal(condition.reason, 'MachinesDiffer');
  assert.match(condition.message, /cpu is 7 to 8/);
  await client.request('PATCH', `${path}/${name}`, {
    body: { metadata: { labels: { [CAPACITY_LABEL]: null } } },
    contentType: 'application/merge-patch+json',
    query: { fieldManager: 'somebody' },
  });
  await eventually(
    `${kind}: without the label ours are gone`,
    async () => Object.keys(await marks()).join() === 'maxPods',
  );
}

/**
 * The rules of cluster-autoscaler's clusterapi provider: quantities, whole numbers, lists with commas; it needs processors and
 * memory to scale from zero.
 */
function readAsAutoscaler(marks: Readonly<Record<string, string>>): void {
  const quantity = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;
  for (const key of ['cpu', 'memory', 'ephemeral-disk']) assert.match(marks[key] ?? '', quantity);
  for (const key of ['maxPods', 'gpu-count']) assert.match(marks[key] ?? '', /^\d+$/);
  for (const label of (marks.labels ?? '').split(',')) assert.equal(label.split('=').length, 2);
  for (const taint of (marks.taints ?? '').split(','))
    assert.match(taint, /^[\w./-]+(?:=[\w.-]*)?:(?:NoSchedule|PreferNoSchedule|NoExecute)$/);
}
