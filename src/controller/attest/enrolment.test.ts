import { createPublicKey } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { Authority, keyDigest } from '../../pki/authority.ts';
import { createCsr, createKey } from '../../pki/csr.ts';
import { type CertificateState, type NodeRecord, nodeKey } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import type { Store } from '../store/store.ts';
import type { Attestor } from './attestor.ts';
import { CertificateChecker } from './certificate-checker.ts';
import { Enrolment } from './enrolment.ts';
import type { MachineFinder } from './machine-finder.ts';
import type { PresentedPeer } from './peer.ts';

const made = Authority.create('test');
const authority = new Authority(made.certificate, made.privateKey);
const CHANNEL = Buffer.alloc(32);
const key = createKey();
const binding = keyDigest(createPublicKey(key));
const peer: PresentedPeer = { namespace: 'ns', name: 'n', binding, serial: '1', madeAt: 0 };
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
/** Whoever has a token proves to be the node, and by its TPM if the token says so. */
const attestor: Attestor = {
  attest: async ({ token }) => ({
    ...{ method: 'token', namespace: 'ns', nodeName: 'n' },
    ...(token?.startsWith('tpm ') ? { endorsementKey: token } : {}),
  }),
};
const nodeOfKey = () => undefined;
const enrolment = new Enrolment({
  ...{ store, nodeOfKey, attestors: [attestor], certificateMs: 60_000 },
  readmit: async (record) => {
    const state = record.spec.admission?.waits ? 'Pending' : 'Admitted';
    node = { ...record, spec: { ...record.spec, admission: { state, at: 'now' } } };
    return node;
  },
  bearers: new CertificateChecker({ store, nodeOfKey }),
  authority: () => authority,
  trusted: () => authority.certificate,
  ties: {
    find: () => undefined,
    objection: () => objection,
    wantsProof: () => wantsProof,
  } as unknown as MachineFinder,
});
const renew = (shown: PresentedPeer | undefined = peer, instance = 'i') =>
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

it('ends a refusal by a proof of the same TPM alone, and lets who was Pending wait on', async () => {
  const csr = createCsr(key, 'n');
  const prove = (token: string) => enrolment.enrol({ ...request, csr, token }, undefined, CHANNEL);
  const byTpm = { ...node.spec.enrolment, endorsementKey: 'tpm one' };
  const refused = { state: 'Refused', at: 'now', why: 'PCR 4' } as const;
  node = { ...node, spec: { ...node.spec, enrolment: byTpm, admission: refused } };
  await expect(prove('a token of it')).rejects.toMatchObject({ code: 'forbidden' });
  await expect(prove('tpm two')).rejects.toMatchObject({ code: 'forbidden' });
  expect(node.spec.admission).toBe(refused);
  expect((await prove('tpm one')).about.name).toBe('n');
  expect(node.spec.admission?.state).toBe('Admitted');
  node = { ...node, spec: { ...node.spec, admission: { ...refused, waits: true } } };
  await expect(prove('tpm one')).rejects.toMatchObject({ code: 'slow-down' });
  expect(node.spec.admission?.state).toBe('Pending');
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
