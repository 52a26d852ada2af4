import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endorsementKeyId, readEkCertificate } from '../../tpm/evidence/endorsement.ts';
import { readPolicy } from './identity-policy.ts';
import { checkTrusted } from './rules.ts';

const recorded: { nv: string; issuer: string; root: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tpm/evidence/fixtures/endorsement.json'), 'utf8'),
);
const certificate = readEkCertificate(Buffer.from(recorded.nv, 'hex'));
const now = new Date(certificate.validFromDate.getTime() + 3_600_000);
const own = endorsementKeyId(certificate.publicKey);
const other = endorsementKeyId(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

const trusting = (authorities: string) => [
  readPolicy({
    metadata: { name: 'p', namespace: 'ns' },
    spec: { method: 'tpm', endorsementKeys: { authorities, firstUse: true } },
  }),
];

it('trusts a key by the certificate of its maker, and no other key by the same one', () => {
  const makers = trusting(recorded.issuer);
  expect(() => checkTrusted(makers, own, certificate.raw, now)).not.toThrow();
  expect(() => checkTrusted(makers, other, certificate.raw, now)).toThrow(/shows is of another key/);
});

it('trusts nobody by what leads elsewhere, is damaged or is not there', () => {
  const makers = trusting(recorded.issuer);
  const { raw } = new X509Certificate(recorded.root);
  expect(() => checkTrusted(trusting(recorded.root), own, certificate.raw, now)).toThrow(/leads to no/);
  for (const shown of [undefined, Buffer.alloc(0), certificate.raw.subarray(0, 90), raw])
    expect(() => checkTrusted(makers, own, shown, now)).toThrow(/does not trust the TPM/);
});
