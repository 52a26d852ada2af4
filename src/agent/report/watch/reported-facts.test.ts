import { rmSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { IDENTIFYING_FACTS, readCapacity } from '../../../protocol/facts.ts';
import { capacityOf } from '../../cluster/node-capacity.ts';
import { GPU_SERVER, plant } from '../../facts/fixtures/tree.ts';
import { gatherFacts } from '../../facts/gather.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { capacityFacts, reportedFacts } from './reported-facts.ts';

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});
async function server() {
  const root = plant(GPU_SERVER);
  roots.push(root);
  return gatherFacts(createLinuxHost({ root }));
}

test('tells of devices by how many there are of a kind', async () => {
  const told = reportedFacts(await server(), false);
  expect(Object.fromEntries(told)).toMatchObject({
    vendor: 'Supermicro',
    gpus: '8 x NVIDIA A100-SXM4-80GB',
    disks: '1 x 3.49 TiB SAMSUNG MZQL23T8HCLS-00A07, 24 x 10.9 TiB ST12000NM001G-2M',
    interfaces: 'ens1f0 mlx5_core 100000 Mbit/s',
    'numa-nodes': '2',
    'secure-boot': 'on',
  });
  for (const value of told.values()) expect(value.length).toBeLessThan(260);
});

test('tells of a disk without a model, as virtual ones are, how it is attached', async () => {
  const facts = await server();
  const disks = facts.disks.slice(0, 2).map(({ model: _, ...disk }) => ({ ...disk, bytes: 2 ** 30 }));
  const virtual = disks.map((disk) => ({ ...disk, transport: 'virtio' }));
  expect(reportedFacts({ ...facts, disks: virtual }, false).get('disks')).toBe('2 x 1 GiB virtio');
});

test('tells what identifies the machine only where that is asked for', async () => {
  const facts = await server();
  const [without, withThem] = [reportedFacts(facts, false), reportedFacts(facts, true)];
  for (const name of IDENTIFYING_FACTS) {
    expect(without.has(name)).toBe(false);
    expect(withThem.has(name)).toBe(true);
  }
  const text = [...without.values()].join('\n');
  expect(text).not.toMatch(/A451234X2001234|7c4a1e00|3c:ec:ef|ZL2ABC|S64HNE|GPU-0e1f/);
  expect(withThem.get('disk-serials')).toMatch(/, and \d+ more$/);
});

test('tells of a Node what the autoscaler asks of it', async () => {
  const node = {
    metadata: {
      labels: {
        'kubernetes.io/hostname': 'n1',
        'kubernetes.io/arch': 'amd64',
        'example.com/rack': 'r7',
        'node-role.kubernetes.io/worker': '',
        'node.cluster.x-k8s.io/pool': 'a',
        odd: 7,
      },
    },
    spec: {
      taints: [
        { key: 'example.com/gpu', value: 'true', effect: 'NoSchedule' },
        { key: 'dedicated', effect: 'NoExecute' },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        null,
      ],
    },
    status: {
      capacity: { cpu: '8', memory: '1056395928Ki', 'ephemeral-storage': '101430960Ki', pods: '110' },
    },
  };
  const told = capacityFacts(capacityOf(node), await server());
  expect(Object.fromEntries(told)).toEqual({
    capacity:
      'cpu=8 memory=1056395928Ki ephemeral-disk=101430960Ki maxPods=110 gpu-count=8 gpu-type=nvidia.com/gpu',
    'capacity-labels': 'example.com/rack=r7,kubernetes.io/arch=amd64',
    'capacity-taints': 'dedicated:NoExecute,example.com/gpu=true:NoSchedule',
  });
  expect(readCapacity(told.get('capacity') ?? '')).toMatchObject({
    memory: '1056395928Ki',
    'gpu-count': '8',
  });
  // What a device plugin offers already counts before what is plugged in.
  const offered = { ...node, status: { capacity: { ...node.status.capacity, 'nvidia.com/gpu': '7' } } };
  expect(capacityFacts(capacityOf(offered), await server()).get('capacity')).toContain('gpu-count=7');
});

test('takes anything for a Node', () => {
  for (const part of [null, [], 'x', { labels: [], taints: 'x', capacity: 3 }]) {
    expect(capacityOf({ metadata: part, spec: part, status: part })).toEqual({
      resources: {},
      labels: '',
      taints: '',
    });
  }
});

test('takes of what a machine tells only what the autoscaler can read', () => {
  expect(
    readCapacity('cpu=8 memory=lots maxPods=-1 gpu-type=nvidia gpu-count=1e3 ephemeral-disk=5Gi x=1'),
  ).toEqual({
    cpu: '8',
    'ephemeral-disk': '5Gi',
  });
});
