import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endorsementKeyId, readEkCertificate } from '../../tpm/evidence/endorsement.ts';
import { whyUntrusted } from './why-untrusted.ts';

const recorded: { nv: string; issuer: string; root: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tpm/evidence/fixtures/endorsement.json'), 'utf8'),
);
const certificate = readEkCertificate(Buffer.from(recorded.nv, 'hex'));
const now = certificate.validFromDate.getTime() + 3_600_000;
const [issuer, root] = [new X509Certificate(recorded.issuer), new X509Certificate(recorded.root)];
const own = endorsementKeyId(certificate.publicKey);
const other = endorsementKeyId(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);

function ask(key: string, certificates: Uint8Array, authority: X509Certificate): string | undefined {
  return whyUntrusted({ key, certificates, authorities: [authority.raw], now });
}

it('trusts a key by the certificate of its maker, and no other key by the same one', () => {
  expect(ask(own, certificate.raw, issuer)).toBeUndefined();
  expect(ask(own, Buffer.concat([certificate.raw, issuer.raw]), root)).toBeUndefined();
  expect(ask(other, certificate.raw, issuer)).toMatch(/shows is of another key/);
});

it('trusts nobody by what leads elsewhere, is damaged or is an authority', () => {
  expect(ask(own, certificate.raw, root)).toMatch(/does not lead to a trusted authority/);
  expect(ask(endorsementKeyId(root.publicKey), root.raw, root)).toMatch(/is a CA certificate/);
  for (const bytes of ['30', '3082', '30820010', '3082ffff00', `3082000400000000`, '00'.repeat(8192)])
    expect(ask(own, Buffer.from(bytes, 'hex'), issuer)).toMatch(/damaged/);
  expect(ask(own, certificate.raw.subarray(0, 90), issuer)).toMatch(/damaged/);
});
