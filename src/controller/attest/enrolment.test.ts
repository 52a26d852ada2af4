import { createPublicKey } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { Authority, keyDigest } from '../../pki/authority.ts';
import { createCsr, createKey } from '../../pki/csr.ts';
import { type CertificateState, type NodeRecord, nodeKey } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import type { Store } from '../store/store.ts';
import type { Attestor } from './attestor.ts';
import { Bearers } from './bearers.ts';
import { Enrolment } from './enrolment.ts';
import type { ShownPeer } from './peer.ts';
import type { Ties } from './ties.ts';

const made = Authority.create('test');
const authority = new Authority(made.certificate, made.privateKey);
const CHANNEL = Buffer.alloc(32);
const key = createKey();
const binding = keyDigest(createPublicKey(key));
const peer: ShownPeer = { namespace: 'ns', name: 'n', binding, serial: '1' };
const request = {
  version: 1,
  csr: createCsr(createKey(), 'another-name'),
  machine: { instance: 'i', hostname: 'h' },
} as const;

let node: NodeRecord;
let objection: string | undefined;
let wantsProof: boolean;
beforeEach(() => {
  objection = undefined;
  wantsProof = false;
  const enrolment = { method: 'token', at: 'now' };
  node = {
    ...{ namespace: 'ns', name: 'n', epoch: 0, seq: 0, summary: newSummary(), storedAt: 0, writes: 0 },
    spec: { instance: 'i', hostname: 'h', keyDigest: binding, certificate: { serial: '1' }, enrolment },
  };
});

const store = {
  find: async (namespace: string, name: string) =>
    `${namespace}/${name}` === nodeKey(node) ? node : undefined,
  create: async () => undefined,
  certify: async (record: NodeRecord, certificate: CertificateState) => {
    node = { ...record, spec: { ...record.spec, certificate } };
    return node;
  },
} as unknown as Store;
/** Whoever has a token proves to be the node. */
const attestor: Attestor = {
  attest: async () => ({ method: 'token', namespace: 'ns', nodeName: 'n' }),
};
const nodeOfKey = () => undefined;
const enrolment = new Enrolment({
  ...{ store, nodeOfKey, attestors: [attestor], certificateMs: 60_000 },
  bearers: new Bearers({ store, nodeOfKey }),
  authority: () => authority,
  trusted: () => authority.certificate,
  ties: {
    find: () => undefined,
    objection: () => objection,
    wantsProof: () => wantsProof,
  } as unknown as Ties,
});
const renew = (shown: ShownPeer | undefined = peer, instance = 'i') =>
  enrolment.enrol({ ...request, machine: { ...request.machine, instance } }, shown, CHANNEL);

it('renews for the node of the certificate, whatever the request is called', async () => {
  const { about } = await renew();
  expect(about).toMatchObject({ namespace: 'ns', name: 'n', binding, method: 'certificate' });
  expect(node.spec.certificate).toMatchObject({ serial: '1', next: expect.stringMatching(/^[0-9a-f]+$/) });
});

it('renews for nobody who shows no certificate, or one of another key, name or machine', async () => {
  await expect(enrolment.enrol(request, undefined, CHANNEL)).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(renew({ ...peer, binding: 'b'.repeat(64) })).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(renew({ ...peer, name: 'other' })).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(renew(peer, 'a copy')).rejects.toMatchObject({ code: 'forbidden' });
  expect(node.spec.certificate).toEqual({ serial: '1' });
});

it.each([
  ['Pending', 'slow-down'],
  ['Quarantined', 'forbidden'],
  ['Refused', 'forbidden'],
] as const)('gives no certificate to a node that is %s', async (state, code) => {
  node = { ...node, spec: { ...node.spec, admission: { state, at: 'now' } } };
  await expect(renew()).rejects.toMatchObject({ code });
  const csr = createCsr(key, 'n');
  // By its proof it is the same node as ever.
  if (state !== 'Refused')
    await expect(
      enrolment.enrol({ ...request, csr, token: 'a token of it' }, undefined, CHANNEL),
    ).rejects.toMatchObject({ code });
});

it('renews for no Machine that is being deleted, or whose policy wants a fresh proof', async () => {
  objection = 'Machine n is being deleted';
  await expect(renew()).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(/is being deleted/),
  });
  objection = undefined;
  wantsProof = true;
  await expect(renew()).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(/prove itself anew/),
  });
});
