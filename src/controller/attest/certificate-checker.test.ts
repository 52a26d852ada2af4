import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeRecord, NodeSpec } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import type { Store } from '../store/store.ts';
import { CertificateChecker } from './certificate-checker.ts';
import type { PresentedPeer } from './peer.ts';

const KEY = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const peer: PresentedPeer = { namespace: 'ns', name: 'n', binding: KEY, serial: '1' };

const nodes = new Map<string, NodeRecord>();
let moved: { namespace: string; name: string } | undefined;
let isGone: boolean;
const bearers = new CertificateChecker({
  store: {
    find: async (namespace: string, name: string) => nodes.get(`${namespace}/${name}`),
    certify: async () => undefined,
  } as unknown as Store,
  nodeOfKey: () => moved,
  isGone: () => isGone,
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
