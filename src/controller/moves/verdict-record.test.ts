import { describe, expect, it } from 'vitest';
import type { KeptVerdict, NodeRecord } from '../model/node-record.ts';
import { newSummary, type Summary } from '../model/summary.ts';
import { genuineVerdict, isSameVerdict, verdictOf } from './verdict-record.ts';

const KEY = Buffer.alloc(32, 1);
const failure = {
  code: 'PortInUse',
  cause: 'Port 6443 is in use.',
  remedy: 'Free it.',
  exitStatus: 4,
  lines: ['x'],
};

function node(summary: Partial<Summary> = {}, more: Partial<NodeRecord> = {}): NodeRecord {
  return {
    ...{ namespace: 'ns', name: 'w1', epoch: 0, seq: 9, storedAt: 1_790_000_000_000, writes: 3 },
    spec: {
      ...{ instance: 'i', hostname: 'w1', keyDigest: 'a'.repeat(64) },
      enrolment: { method: 'machine-token', at: '' },
    },
    summary: { ...newSummary(), phase: 'Succeeded', boots: ['b1'], ...summary },
    ...more,
  };
}

/** As the node is elsewhere, with what was kept and without a status. */
function moved(verdict: KeptVerdict | undefined, more: Partial<NodeRecord> = {}): NodeRecord {
  const { spec, ...rest } = node();
  return { ...rest, spec: { ...spec, ...(verdict ? { verdict } : {}) }, summary: newSummary(), ...more };
}

describe('the verdict that is kept', () => {
  it.each<[string, Partial<Summary>]>([
    ['success', { node: { name: 'n1', state: 'ready', providerID: 'p' } }],
    ['failure', { phase: 'Failed', failure: { ...failure, lines: [] }, step: 'kubeadm' }],
    ['user data that may make no node', { isNodeUnknown: true }],
    ['a reset', { phase: 'Reset' }],
  ])('brings back a %s', (_, summary) => {
    const back = genuineVerdict(moved(verdictOf(node(summary), KEY)), [KEY]);
    expect(back).toMatchObject({ epoch: 0, seq: 9, storedAt: 1_790_000_000_000 });
    expect(back?.summary).toMatchObject({ phase: 'Succeeded', boots: ['b1'], ...summary });
  });

  it('is none while a bootstrap runs', () => {
    expect([verdictOf(node({ phase: 'Running' }), KEY), verdictOf(node({ phase: 'Waiting' }), KEY)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each<[string, Partial<NodeRecord>]>([
    ['another node', { name: 'w2' }],
    ['a node of another namespace', { namespace: 'tenant' }],
    ['another machine of the same name', { spec: { ...node().spec, keyDigest: 'b'.repeat(64) } }],
  ])('is not believed of %s', (_, more) => {
    const verdict = verdictOf(node(), KEY);
    const other = moved(verdict, more);
    const spec = { ...other.spec, ...(verdict ? { verdict } : {}) };
    expect(genuineVerdict({ ...other, spec }, [KEY])).toBeUndefined();
  });

  it('is not believed with another key, or where somebody has changed it', () => {
    const verdict = verdictOf(node({ phase: 'Failed', failure }), KEY);
    expect(genuineVerdict(moved(verdict), [Buffer.alloc(32, 2)])).toBeUndefined();
    expect(genuineVerdict(moved(verdict), [Buffer.alloc(32, 2), KEY])).toBeDefined();
    const forged = { mac: verdict?.mac ?? '', record: verdict?.record.replace('Failed', 'Succeeded') ?? '' };
    expect(genuineVerdict(moved(forged), [KEY])).toBeUndefined();
    expect(genuineVerdict(moved({ record: '{', mac: 'zz' }), [KEY])).toBeUndefined();
    expect(genuineVerdict(moved(undefined), [KEY])).toBeUndefined();
  });

  it('keeps no line of output, and is small', () => {
    const steps = Array.from({ length: 64 }, (_, at) => ({
      ...{ id: `s${at}`, title: 'x'.repeat(90), result: 'done' as const, attempts: 1, ms: 1 },
    }));
    const { record = '' } = verdictOf(node({ phase: 'Failed', failure, steps, step: 's3' }), KEY) ?? {};
    expect(JSON.parse(record).summary).toMatchObject({ steps: [{ id: 's3' }], failure: { lines: [] } });
    expect(record.length).toBeLessThan(2_000);
  });
});

it('is the same where only a sign of life or a time has changed', () => {
  const one = verdictOf(node({ heartbeats: 1 }), KEY);
  expect(isSameVerdict(one, verdictOf(node({ heartbeats: 2 }, { seq: 10 }), KEY))).toBe(true);
  expect(isSameVerdict(one, verdictOf(node({ phase: 'Failed', failure }), KEY))).toBe(false);
  expect(isSameVerdict(one, undefined)).toBe(false);
  const registered = { node: { name: 'n1', state: 'registered' } };
  const ready = { node: { name: 'n1', state: 'ready' } };
  expect(isSameVerdict(verdictOf(node(registered), KEY), verdictOf(node(ready), KEY))).toBe(false);
});
