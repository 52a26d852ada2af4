import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { SimulatedTpm } from '../../../test/support/tpm/simulated-tpm.ts';
import { ENROLMENT_VERSION } from '../../protocol/attestation.ts';
import { HANDLE } from '../../tpm/wire/constants.ts';
import type { Evidence } from './attestor.ts';
import { TpmAttestor } from './tpm.ts';
import { TpmChallenges } from './tpm-challenges.ts';

const machine = { instance: 'i', hostname: 'h' };
const csr = 'a request';
const channel = Buffer.alloc(32, 1);
const tpm = new SimulatedTpm();
const found = { namespace: 'ns', uid: 'u', byFirstUse: false };
const challenges = new TpmChallenges(() => found);
const attestor = new TpmAttestor(challenges, { byTpm: (key) => (key === tpm.id ? found : undefined) });

/** What a TPM answers to a challenge for that machine, request and connection. */
function answer(of = tpm): Evidence & { proof: NonNullable<Evidence['proof']> } {
  const csrDigest = createHash('sha256').update(csr).digest();
  const { endorsementKey, attestationKey } = of;
  const asked = { version: ENROLMENT_VERSION, machine, csrDigest, endorsementKey, attestationKey } as const;
  const proof = of.prove(challenges.make(asked, channel, '127.0.0.1'), csrDigest, channel);
  return { token: undefined, machine, csr, channel, proof };
}

it('takes the answer of its TPM, once', async () => {
  const evidence = answer();
  expect(await attestor.attest(evidence)).toMatchObject({ machineUid: 'u', endorsementKey: tpm.id });
  await expect(attestor.attest(evidence)).rejects.toThrow(/not known here/);
});

it.each([
  ['machine', { machine: { ...machine, instance: 'another' } }],
  ['request', { csr: 'another' }],
  ['connection', { channel: Buffer.alloc(32, 2) }],
])('takes no answer for another %s', async (_, other) => {
  await expect(attestor.attest({ ...answer(), ...other })).rejects.toThrow(
    /not for the machine, key or conn/,
  );
});

it('takes no key of another hierarchy, in which a TPM disguises its counters', async () => {
  const owners = answer(new SimulatedTpm(HANDLE.owner));
  await expect(attestor.attest(owners)).rejects.toThrow(/not a primary key of the endorsement hierarchy/);
});

it('takes no answer of another TPM, nor of one that did not open the credential', async () => {
  const other = new SimulatedTpm();
  await expect(attestor.attest(answer(other))).rejects.toThrow(/no one Machine names/);
  const { proof, ...rest } = answer();
  const closed = { ...proof, opened: Buffer.alloc(32) };
  await expect(attestor.attest({ ...rest, proof: closed })).rejects.toThrow(/was not opened by the TPM/);
});
