import { createHash, createPublicKey } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { createCsr, createKey } from '../../pki/csr.ts';
import type { KubeClient } from '../kube/client.ts';
import type { KubeletKey, NodeRecord, NodeSpec } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { writeKubeletKey } from '../store/kubelet-key.ts';
import { StoreBusy } from '../store/store.ts';
import { WriteBudget } from '../store/write-budget.ts';
import type { Purpose } from './fresh-proofs.ts';
import { KubeletKeys } from './kubelet-keys.ts';

const PEER = { namespace: 'ns', name: 'n', binding: 'key', serial: 's', madeAt: 0 };
const CHANNEL = Buffer.alloc(32);
const key = createKey();
const csr = createCsr(key, 'system:node:n');
const digest = createHash('sha256')
  .update(createPublicKey(key).export({ type: 'spki', format: 'der' }))
  .digest('hex');

let asked: Purpose | undefined;
/** What is read where a write finds another record than it was given. */
let latest: NodeRecord | undefined;
let written: [NodeRecord, KubeletKey][];
/** How often somebody else writes first. */
let rivals: number;

beforeEach(() => {
  [asked, latest, written, rivals] = [undefined, undefined, [], 0];
});

function record(more: Partial<NodeSpec> = {}): NodeRecord {
  const enrolment = { method: 'tpm', at: '' };
  return {
    ...{ namespace: 'ns', name: 'n', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: 'key', enrolment, ...more },
  };
}

const keys = new KubeletKeys({
  proofs: {
    of: async (_, __, purpose) => {
      asked = purpose;
      return { node: record(), machine: { name: 'm', uid: 'u', by: 'tpm' } };
    },
  },
  store: { find: async () => latest },
  write: async (node, kubelet) => {
    rivals -= 1;
    if (rivals >= 0) return false;
    written.push([node, kubelet]);
    return true;
  },
});
const bind = (request = csr) =>
  keys.bind({ version: 1, machine: { instance: 'i', hostname: 'h' }, csr: request }, PEER, CHANNEL);

it('notes the key that signed the request, by a proof that is for this and nothing else', async () => {
  expect(await bind()).toEqual({ machine: 'm', by: 'tpm', keyDigest: digest });
  expect(written).toMatchObject([[{ name: 'n' }, { keyDigest: digest }]]);
  expect(asked).toMatchObject({ text: `slipway key of a kubelet v1\n${csr}`, channel: CHANNEL });
});

it('notes no key of which the machine only has the public part', async () => {
  const lines = csr.trim().split('\n');
  const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1);
  const damaged = `${lines[0]}\n${der.toString('base64')}\n${lines.at(-1)}\n`;
  await expect(bind(damaged)).rejects.toMatchObject({ code: 'bad-request' });
  expect(asked).toBeUndefined();
});

it('comes again where somebody wrote meanwhile, as long as it is the same machine and may have something', async () => {
  rivals = 1;
  latest = record({ admission: { state: 'Admitted', at: '' } });
  await bind();
  expect(written).toMatchObject([[latest, { keyDigest: digest }]]);
});

it.each([
  { keyDigest: 'of another machine' },
  { admission: { state: 'Quarantined', at: '' } },
  { admission: { state: 'Pending', at: '' } },
  { admission: { state: 'Refused', at: '' } },
] as const)('notes nothing with a node that became %j meanwhile', async (more) => {
  rivals = 1;
  latest = record(more);
  await expect(bind()).rejects.toBeInstanceOf(StoreBusy);
  expect(written).toEqual([]);
});

it('has the API server look once more that the node is as it was', async () => {
  let sent: unknown;
  const request = async (_: string, __: string, { body }: { body?: unknown } = {}) => {
    sent = body;
  };
  const client = { request } as unknown as KubeClient;
  await writeKubeletKey(client, new WriteBudget(true), record(), { keyDigest: digest, at: 'now' });
  expect(sent).toEqual([
    { op: 'test', path: '/spec/keyDigest', value: 'key' },
    { op: 'test', path: '/spec/admission', value: null },
    { op: 'add', path: '/spec/kubelet', value: { keyDigest: digest, at: 'now' } },
  ]);
});
