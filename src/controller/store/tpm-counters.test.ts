import { expect, it } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { StoreBudgetExceeded, StoreBusy } from './store.ts';
import { writeCounters } from './tpm-counters.ts';
import { WriteBudget } from './write-budget.ts';

const NODE = { namespace: 'ns', name: 'n' };
const COUNTERS = { resets: 3, restarts: 1, clock: 1_000 };

it('writes the counters only while the node is of that TPM', async () => {
  const asked: unknown[] = [];
  const request = async (method: string, path: string, { body }: { body: unknown }): Promise<object> => {
    asked.push([method, path.split('/').slice(-3), body]);
    return {};
  };
  await writeCounters(
    { request } as unknown as KubeClient,
    new WriteBudget(true),
    NODE,
    'sha256:a',
    COUNTERS,
  );
  expect(asked).toEqual([
    [
      'PATCH',
      ['ns', 'nodebootstraps', 'n'],
      [
        { op: 'test', path: '/spec/enrolment/endorsementKey', value: 'sha256:a' },
        { op: 'add', path: '/spec/counters', value: COUNTERS },
      ],
    ],
  ]);
});

it("passes over a node that is another TPM's or gone, and tells what is to be tried again from what is not", async () => {
  const budget = new WriteBudget(true);
  const answers = (status: number) => {
    const request = () => Promise.reject(new KubeError(status, 'x', 'testing path failed'));
    return writeCounters({ request } as unknown as KubeClient, budget, NODE, 'sha256:a', COUNTERS);
  };
  for (const status of [404, 409, 422]) await expect(answers(status)).resolves.toBeUndefined();
  await expect(answers(503)).rejects.toBeInstanceOf(StoreBusy);
  await expect(answers(403)).rejects.toBeInstanceOf(KubeError);
});

it('costs the machine of what it may write', async () => {
  const request = async (): Promise<object> => ({});
  const budget = new WriteBudget(true, () => 0);
  const write = () => writeCounters({ request } as unknown as KubeClient, budget, NODE, 'sha256:a', COUNTERS);
  let written = 0;
  await expect(
    (async () => {
      for (; written < 1_000; written += 1) await write();
    })(),
  ).rejects.toBeInstanceOf(StoreBudgetExceeded);
  expect(written).toBeLessThan(100);
});
