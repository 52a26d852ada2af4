import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KubeClient } from '../kube/client.ts';
import { KubeError } from '../kube/kube-error.ts';
import { createLog } from '../log.ts';
import type { NodeRecord } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { OrphanCollector } from './orphan-collector.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.parse('2026-01-02T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

const DAY = 86_400_000;

function node(name: string, at: string): NodeRecord {
  return {
    ...{
      namespace: 'ns',
      name,
      epoch: 0,
      seq: 0,
      summary: newSummary(),
      storedAt: 0,
      writes: 0,
      version: '7',
    },
    spec: { instance: 'i', hostname: 'h', keyDigest: 'd', enrolment: { method: 'pool-token', at } },
  };
}

it('removes what is no Machine after its time, as it was looked at, and only while it leads', async () => {
  const removed: [string, unknown][] = [];
  const request = async (_: string, path: string, { body }: { body: unknown }): Promise<void> => {
    removed.push([path.split('/').at(-1) ?? '', body]);
    // It was tied at this moment.
    if (removed.length === 1) throw new KubeError(409, 'Conflict', 'written since');
  };
  const living = new Set(['ns/lives']);
  const nodes = [
    node('lives', '2025-12-01T11:00:00Z'),
    node('old', '2026-01-01T11:00:00Z'),
    node('young', '2026-01-02T11:00:00Z'),
  ];
  const collector = new OrphanCollector({
    client: { request } as unknown as KubeClient,
    untied: () => nodes,
    living: () => living,
    lifetimeMs: DAY,
    log: createLog(() => {}),
  });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(removed).toEqual([]);
  collector.lead(true);
  await vi.advanceTimersByTimeAsync(30_000);
  const old = ['old', { preconditions: { resourceVersion: '7' } }];
  expect(removed).toEqual([old, old]);
  // The pool names its Node no longer.
  living.clear();
  nodes.splice(1);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(removed.pop()?.[0]).toBe('lives');
  collector.lead(false);
  await vi.advanceTimersByTimeAsync(2 * DAY);
  expect(removed).toHaveLength(2);
  await collector.stop();
});
