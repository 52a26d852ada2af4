import { expect, it } from 'vitest';
import type { Admission, NodeRecord, NodeSpec, TieKind } from '../model/node-record.ts';
import { newSummary } from '../model/summary.ts';
import { attestedOf } from './attested.ts';

const AT = '2026-01-01T00:00:00Z';
const KEY = `sha256:${'a'.repeat(64)}`;

function node(by: TieKind | undefined, enrolment: object = {}, state?: Admission['state']): NodeRecord {
  const spec: NodeSpec = {
    ...{ instance: 'i', hostname: 'h', keyDigest: 'k' },
    enrolment: { method: 'x', at: AT, ...enrolment },
    ...(by ? { machine: { name: 'm', uid: 'u', by } } : {}),
    ...(state ? { admission: { state, at: AT, reason: 'TpmBootStateChanged', why: 'PCR 4\u202e.' } } : {}),
  };
  const common = {
    namespace: 'n',
    name: 'm',
    epoch: 0,
    seq: 0,
    summary: newSummary(),
    storedAt: 0,
    writes: 0,
  };
  return { ...common, spec };
}

it.each<[TieKind | undefined, object, Admission['state'] | undefined, string | undefined]>([
  [undefined, {}, undefined, undefined],
  ['providerID', {}, undefined, undefined],
  ['token', {}, undefined, undefined],
  ['token', { policies: ['p'] }, undefined, 'True ProvedByToken'],
  ['tpm', { endorsementKey: KEY }, undefined, 'True ProvedByTpm'],
  ['tpm', { endorsementKey: KEY, policies: ['p'] }, 'Pending', 'Unknown Pending'],
  ['tpm', { endorsementKey: KEY, policies: ['p'] }, 'Admitted', 'True ProvedByTpm'],
  ['tpm', { endorsementKey: KEY, policies: ['p'] }, 'Refused', 'False TpmBootStateChanged'],
  ['token', {}, 'Quarantined', 'False Quarantined'],
  // A key that nobody vouches for proves no TPM, with policies and without, whoever admits it.
  ['firstUse', { endorsementKey: KEY }, undefined, 'Unknown TrustedOnFirstUse'],
  ['firstUse', { endorsementKey: KEY, policies: ['p'] }, 'Admitted', 'Unknown TrustedOnFirstUse'],
  ['firstUse', { endorsementKey: KEY, policies: ['p'] }, 'Pending', 'Unknown Pending'],
  // Who only claims is never told to have proved anything, whoever admits it.
  ['name', {}, 'Admitted', 'Unknown Claimed'],
  ['providerID', {}, 'Quarantined', 'False Quarantined'],
])('of %s, %j, %s it says %s', (by, enrolment, state, said) => {
  const condition = attestedOf(node(by, enrolment, state));
  expect(condition && `${condition.status} ${condition.reason}`).toBe(said);
  expect(condition?.message ?? '').not.toMatch(/\u202e/);
});
