import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeRecord, NodeSpec } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import type { Store } from '../store/store.ts';
import { CertificateChecker } from './certificate-checker.ts';
import type { PresentedPeer } from './peer.ts';

const KEY = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const peer: PresentedPeer = { namespace: 'ns', name: 'n', binding: KEY, serial: '1', madeAt: 0 };

const nodes = new Map<string, NodeRecord>();
let moved: { namespace: string; name: string } | undefined;
let isGone: boolean;
let adopts: boolean;
let isUnsettled: boolean;
let copies: number;
const bearers = new CertificateChecker({
  store: {
    find: async (namespace: string, name: string) => nodes.get(`${namespace}/${name}`),
    certify: async (record: NodeRecord, certificate: NodeSpec['certificate']) => {
      const after = { ...record, spec: { ...record.spec, certificate } } as NodeRecord;
      if (adopts) nodes.set(`${record.namespace}/${record.name}`, after);
      return adopts ? after : undefined;
    },
  } as unknown as Store,
  nodeOfKey: () => moved,
  isGone: () => isGone,
  isUnsettled: () => isUnsettled,
  copied: () => {
    copies += 1;
  },
});

type Spec = { readonly [K in keyof NodeSpec]?: NodeSpec[K] | undefined };

function put(spec: Spec = {}, namespace = 'ns', name = 'n'): NodeRecord {
  const enrolment = { method: 'token', at: 'now' };
  const certificate = { serial: '1' };
  const record: NodeRecord = {
    ...{ namespace, name, epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: KEY, certificate, enrolment, ...spec } as NodeSpec,
  };
  nodes.set(`${namespace}/${name}`, record);
  return record;
}

beforeEach(() => {
  nodes.clear();
  moved = undefined;
  isGone = false;
  [adopts, isUnsettled, copies] = [false, false, 0];
});

/** What a certificate is that TLS has found to be genuine: some other machine's, or one that counts no longer. */
const FOREIGN: readonly [string, Spec][] = [
  ['of a machine whose name another one has now', { keyDigest: OTHER }],
  // A node of before 0.2 has no serial number to hold it against.
  ['of another key, where no serial number is known', { keyDigest: OTHER, certificate: undefined }],
  ['that was replaced', { certificate: { serial: '2' } }],
  ['of a node that is quarantined', { admission: { state: 'Quarantined', at: 'now' } }],
];

describe.each(FOREIGN)('a certificate %s', (_, spec) => {
  it('is not current, and does not speak for the node', async () => {
    const record = put(spec);
    expect(bearers.isCurrent(record, peer)).toBe(false);
    await expect(bearers.admit(peer)).rejects.toMatchObject({ name: 'Refused' });
  });
});

it('takes the certificate of a node, and no longer when its Machine is gone', async () => {
  const record = put();
  expect(bearers.isCurrent(record, peer)).toBe(true);
  expect(await bearers.admit(peer)).toBe(record);
  isGone = true;
  expect(bearers.isCurrent(record, peer)).toBe(false);
  await expect(bearers.admit(peer)).rejects.toMatchObject({ code: 'unauthorized', isFormer: true });
});

it('follows a node to the name of its Machine by its key, and to no other node or namespace', async () => {
  const there = put({}, 'ns', 'machine');
  moved = { namespace: 'ns', name: 'machine' };
  expect(await bearers.admit(peer)).toBe(there);
  put({ keyDigest: OTHER }, 'ns', 'machine');
  await expect(bearers.admit(peer)).rejects.toMatchObject({ code: 'unauthorized' });
  put({}, 'elsewhere', 'machine');
  moved = { namespace: 'elsewhere', name: 'machine' };
  await expect(bearers.admit(peer)).rejects.toMatchObject({ code: 'unauthorized' });
});

describe('a record that was put back from a backup', () => {
  const madeAt = '2026-01-02T00:00:00.000Z';
  const day = Date.parse(madeAt);
  beforeEach(() => {
    adopts = true;
  });

  it('takes the newer certificate that the machine has, and accuses nobody', async () => {
    put({ certificate: { serial: '1', madeAt } });
    const { spec } = await bearers.admit({ ...peer, serial: '2', madeAt: day + 86_400_000 });
    expect(spec.certificate).toEqual({ serial: '2', madeAt: '2026-01-03T00:00:00.000Z' });
    expect(copies).toBe(0);
  });

  it('takes no older one, and none where it is not known when the last one was made', async () => {
    for (const certificate of [
      { serial: '2', madeAt },
      { serial: '2', next: '3', madeAt },
      { serial: '2' },
    ]) {
      put({ certificate });
      await expect(bearers.admit({ ...peer, madeAt: day - 1 })).rejects.toThrow(
        /was replaced by a newer one/,
      );
    }
    expect(copies).toBe(3);
  });
});

it('lets nothing be written of a node that is being moved, whatever is at hand', async () => {
  const record = put();
  expect(bearers.isCurrent(record, peer)).toBe(true);
  isUnsettled = true;
  expect(bearers.isCurrent(record, peer)).toBe(false);
  await expect(bearers.admit(peer)).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 15_000 });
});
