import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { writeKubeletKey } from './kubelet-key.ts';
import { StoreBudgetExceeded } from './store.ts';
import { WriteBudget } from './write-budget.ts';

it('counts as what the machine writes, so that one that changes its key without end fills no etcd', async () => {
  let now = 0;
  let writes = 0;
  const request = async () => {
    writes += 1;
  };
  const client = { request } as unknown as KubeClient;
  const node: NodeRecord = {
    ...{ namespace: 'ns', name: 'n', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: 'd', enrolment: { method: 'token', at: 'now' } },
    bytes: 800 * 1024,
  };
  const budget = new WriteBudget(true, () => now);
  const write = (at: number) => writeKubeletKey(client, budget, node, { keyDigest: `${at}`, at: 'now' });
  let refused = 0;
  for (let second = 0; second < 600; second += 1) {
    now += 1_000;
    await write(second).catch((error: unknown) => {
      expect(error).toBeInstanceOf(StoreBudgetExceeded);
      refused += 1;
    });
  }
  // 4 MiB, and 8 KiB for each second.
  expect(writes).toBeGreaterThan(5);
  expect(writes).toBeLessThan(14);
  expect(writes + refused).toBe(600);
});
