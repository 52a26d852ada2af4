import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Authority, keyDigest } from './authority.ts';
import { fromPem, toPem } from './pem.ts';
import { readCsrKey } from './read-csr.ts';

const dir = mkdtempSync(join(tmpdir(), 'slipway-pki-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const openssl = (...words: string[]): string =>
  execFileSync('openssl', words, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

function opensslCsr(curve: string, ...more: string[]): string {
  openssl('ecparam', '-name', curve, '-genkey', '-noout', '-out', 'node.key');
  openssl('req', '-new', '-key', 'node.key', '-subj', '/CN=anything', '-out', 'node.csr', ...more);
  return readFileSync(join(dir, 'node.csr'), 'utf8');
}

describe('Authority', () => {
  const made = Authority.create('Slipway test');
  const authority = new Authority(made.certificate, made.privateKey);
  writeFileSync(join(dir, 'ca.crt'), made.certificate);

  it('makes a server certificate that openssl accepts for its names and no other', () => {
    const hosts = ['controller.example', '10.0.0.7', 'fd00::1:2'];
    const { cert, expiresAt } = authority.server(hosts, 3_600_000);
    writeFileSync(join(dir, 'server.crt'), cert);
    const verify = (...words: string[]): string =>
      openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', 'ca.crt', ...words, 'server.crt');
    expect(verify('-verify_hostname', 'controller.example')).toContain('OK');
    expect(verify('-verify_ip', '10.0.0.7')).toContain('OK');
    expect(verify('-verify_ip', 'fd00::1:2')).toContain('OK');
    expect(() => verify('-verify_hostname', 'other.example')).toThrow();
    expect(() => openssl('verify', '-purpose', 'sslclient', '-CAfile', 'ca.crt', 'server.crt')).toThrow();
    expect(new Date(new X509Certificate(cert).validTo)).toEqual(expiresAt);
  });

  it('signs the key of a request that openssl made, for clients only', () => {
    for (const [curve, digest] of [
      ['prime256v1', '-sha256'],
      ['secp384r1', '-sha384'],
    ] as const) {
      const key = readCsrKey(opensslCsr(curve, digest));
      const { certificate } = authority.sign(
        {
          use: 'client',
          name: 'ns/machine',
          organization: 'slipway',
          uri: 'slipway:machine/ns/machine',
          publicKey: key,
        },
        60_000,
      );
      writeFileSync(join(dir, 'client.crt'), certificate);
      expect(
        openssl('verify', '-x509_strict', '-purpose', 'sslclient', '-CAfile', 'ca.crt', 'client.crt'),
      ).toContain('OK');
      const text = openssl(
        'x509',
        '-in',
        'client.crt',
        '-noout',
        '-subject',
        '-ext',
        'subjectAltName,keyUsage',
      );
      expect(text).toMatch(/O = slipway, CN = ns\/machine/);
      expect(text).toContain('URI:slipway:machine/ns/machine');
      expect(text).toContain('Digital Signature');
      const ofNode = createPublicKey(openssl('pkey', '-in', 'node.key', '-pubout'));
      expect(keyDigest(new X509Certificate(certificate).publicKey)).toBe(keyDigest(ofNode));
    }
  });

  it('refuses a key that is not its own', () => {
    expect(() => new Authority(made.certificate, Authority.create('x').privateKey)).toThrow(/do not match/);
  });
});

describe('readCsrKey', () => {
  it('refuses a request that is signed by another key, of a weak kind, or damaged anywhere', () => {
    const der = Buffer.from(fromPem('CERTIFICATE REQUEST', opensslCsr('prime256v1')));
    const own = keyDigest(readCsrKey(toPem('CERTIFICATE REQUEST', der)));
    for (let i = 0; i < der.length; i += 1) {
      const damaged = Buffer.from(der);
      damaged[i] = (damaged[i] ?? 0) ^ 0x01;
      expect(() => readCsrKey(toPem('CERTIFICATE REQUEST', damaged)), `byte ${i}`).toThrow();
      expect(() => readCsrKey(toPem('CERTIFICATE REQUEST', der.subarray(0, i)))).toThrow();
    }
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    openssl(
      'req',
      '-new',
      '-newkey',
      'rsa:1024',
      '-nodes',
      '-keyout',
      'r.key',
      '-subj',
      '/CN=x',
      '-out',
      'r.csr',
    );
    expect(() => readCsrKey(readFileSync(join(dir, 'r.csr'), 'utf8'))).toThrow(/curve/);
    // The same curve, with its parameters spelt out instead of its name.
    for (const curve of ['prime256v1', 'secp384r1']) {
      openssl('ecparam', '-name', curve, '-genkey', '-noout', '-param_enc', 'explicit', '-out', 'e.key');
      openssl('req', '-new', '-key', 'e.key', '-subj', '/CN=x', '-out', 'e.csr');
      expect(() => readCsrKey(readFileSync(join(dir, 'e.csr'), 'utf8'))).toThrow(/named curve/);
    }
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    expect(() => readCsrKey(publicKey.export({ format: 'pem', type: 'spki' }).toString())).toThrow(/PEM/);
  });
});
