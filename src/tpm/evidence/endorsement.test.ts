import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { extension, testCertificate } from '../../../test/support/tls/test-certificate.ts';
import { Authority } from '../../pki/authority.ts';
import { octetString } from '../../pki/der.ts';
import { decodePublic, keyOf, type RsaArea } from '../objects/public-area.ts';
import { checkCertifies, endorsementKeyId, readChain, readEkCertificate } from './endorsement.ts';
import { recordedQuote } from './fixtures/quote-evidence.ts';
import { verifyChain } from './verify-chain.ts';

const recorded: { nv: string; issuer: string; root: string } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/endorsement.json'), 'utf8'),
);
const nv = Buffer.from(recorded.nv, 'hex');
const certificate = readEkCertificate(nv);
const [issuer, root] = [new X509Certificate(recorded.issuer), new X509Certificate(recorded.root)];
const ek = keyOf(decodePublic(recordedQuote().ek) as RsaArea);
const now = new Date(certificate.validFromDate.getTime() + 3_600_000);

describe('the certificate of an endorsement key', () => {
  it('is read with the header of TPM 1.2 and with padding', () => {
    const head = Buffer.from('10010000001002', 'hex');
    for (const content of [nv, Buffer.concat([nv, Buffer.alloc(100, 0xff)]), Buffer.concat([head, nv])])
      expect(readEkCertificate(content).serialNumber).toBe(certificate.serialNumber);
    for (const content of [Buffer.alloc(0), Buffer.alloc(300), nv.subarray(0, 200)])
      expect(() => readEkCertificate(content)).toThrow(/damaged/);
  });

  it('is for this key and for no other', () => {
    expect(() => checkCertifies(certificate, ek)).not.toThrow();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    expect(() => checkCertifies(certificate, other)).toThrow(/not the one in its certificate/);
    expect(endorsementKeyId(certificate.publicKey)).toBe(endorsementKeyId(ek));
    expect(endorsementKeyId(ek)).toMatch(/^sha256:[0-9a-f]{64}$/);
  });
});

describe('verifyChain', () => {
  it('finds the way to an authority that is trusted, and says which', () => {
    expect(verifyChain(certificate, [], [issuer], now).subject).toBe(issuer.subject);
    expect(verifyChain(certificate, [issuer], [root], now).subject).toBe(root.subject);
  });

  it('trusts nothing that the machine brings along', () => {
    expect(() => verifyChain(certificate, [issuer, root], [], now)).toThrow(
      /not lead to a trusted authority/,
    );
    expect(() => verifyChain(certificate, [], [root], now)).toThrow(/not lead to a trusted authority/);
  });

  it('looks at the dates of each certificate', () => {
    const before = new Date(certificate.validFromDate.getTime() - 3 * 86_400_000);
    expect(() => verifyChain(certificate, [], [issuer], before)).toThrow(/not valid/);
  });

  it('takes no certificate that was made for something else', () => {
    const made = Authority.create('a maker');
    const authority = new Authority(made.certificate, made.privateKey);
    const ca = new X509Certificate(authority.certificate);
    const other = new X509Certificate(authority.server(['a.example'], 3_600_000).cert);
    expect(() => verifyChain(other, [], [ca], new Date())).toThrow(/not for an endorsement key/);
  });

  it('follows no certificate that is none of an authority, though it signed and is listed', () => {
    const { leaf, signer } = withoutAuthority();
    expect(leaf.checkIssued(signer) && leaf.verify(signer.publicKey)).toBe(true);
    for (const trusted of [[signer], [root]])
      expect(() => verifyChain(leaf, [signer], trusted, new Date())).toThrow(
        /not lead to a trusted authority/,
      );
  });

  it('reads no certificate that is larger than any of a maker', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const large = testCertificate({
      ...{ subject: 'large', issuer: 'large', publicKey, signedBy: privateKey },
      extensions: [extension('1.2.3.4', false, octetString(Buffer.alloc(4_096)))],
    });
    expect(() => verifyChain(certificate, [new X509Certificate(large)], [issuer], now)).toThrow(
      /more than 4096 bytes/,
    );
  });

  it("takes no authority's own certificate for an endorsement key's", () => {
    expect(() => verifyChain(issuer, [], [root], now)).toThrow(/CA certificate/);
  });
});

/** A certificate with the usage of endorsement keys, signed by one that may sign none. */
function withoutAuthority(): { leaf: X509Certificate; signer: X509Certificate } {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-maker-'));
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  try {
    const names = '[req]\ndistinguished_name=name\n[name]\n';
    writeFileSync(
      join(folder, 'conf'),
      `${names}[signer]\nbasicConstraints=CA:FALSE\n[leaf]\nextendedKeyUsage=2.23.133.8.1\n`,
    );
    const made = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-config', 'conf'];
    openssl(
      'req',
      '-x509',
      ...made,
      '-extensions',
      'signer',
      '-subj',
      '/CN=s',
      '-keyout',
      's.key',
      '-out',
      's.pem',
    );
    openssl('req', '-new', ...made, '-subj', '/CN=leaf', '-keyout', 'leaf.key', '-out', 'leaf.csr');
    const by = ['-CA', 's.pem', '-CAkey', 's.key', '-extfile', 'conf', '-extensions', 'leaf'];
    openssl('x509', '-req', '-in', 'leaf.csr', ...by, '-set_serial', '7', '-out', 'leaf.pem');
    const read = (name: string) => new X509Certificate(readFileSync(join(folder, name)));
    return { leaf: read('leaf.pem'), signer: read('s.pem') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('readChain', () => {
  it('reads certificates that lie one after the other', () => {
    const both = Buffer.concat([issuer.raw, root.raw, Buffer.alloc(40, 0xff)]);
    expect(readChain(both).map((one) => one.subject)).toEqual([issuer.subject, root.subject]);
    expect(readChain(Buffer.alloc(10))).toEqual([]);
    // A wrong length of the first part within, as a fuzzer found it.
    const damaged = Buffer.concat([issuer.raw, root.raw]);
    damaged[issuer.raw.length + 7] = (damaged[issuer.raw.length + 7] ?? 0) + 1;
    expect(readChain(damaged).map((one) => one.subject)).toEqual([issuer.subject]);
  });
});
