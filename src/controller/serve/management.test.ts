import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { createLog } from '../log.ts';
import { newSummary } from '../model/summary.ts';
import { Metrics } from '../web/metrics.ts';
import { Management } from './management.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  [true, ['PATCH']],
  [false, []],
])(
  'writes the verdict of a node where a NodeBootstrap has a place for it (%s)',
  async (keepsVerdicts, wanted) => {
    const writes: string[] = [];
    const spec = {
      ...{ instance: 'i', hostname: 'w1', keyDigest: 'a'.repeat(64) },
      enrolment: { method: 'token', at: new Date().toISOString() },
    };
    const summary = { ...newSummary(), phase: 'Succeeded' as const };
    const storedAt = new Date();
    const told = { ...summary, epoch: 0, seq: 4, writes: 1, message: '', eventLog: [] };
    const request = async (method: string, path: string): Promise<unknown> => {
      if (!path.endsWith('/nodebootstraps/w1')) return {};
      if (method !== 'GET') writes.push(method);
      const metadata = { namespace: 'ns', name: 'w1', resourceVersion: '1' };
      return { metadata, spec, status: { ...told, storedAt: storedAt.toISOString() } };
    };
    const management = new Management({
      ...{ client: { request } as unknown as KubeClient, version: 'v1beta2', metrics: new Metrics() },
      ...{ log: createLog(() => {}), untiedMs: 86_400_000, keepsVerdicts },
      tokenKeys: () => [Buffer.alloc(32, 1)],
    });
    management.lead(true);
    management.recordStored({
      ...{ namespace: 'ns', name: 'w1', spec, summary, version: '1' },
      ...{ epoch: 0, seq: 4, writes: 1, storedAt: storedAt.getTime() },
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(writes).toEqual(wanted);
    await management.stop();
  },
);
