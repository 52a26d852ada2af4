import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { toPem } from '../../../src/pki/pem.ts';
import { authorityExtensions, testCertificate } from './test-certificate.ts';

/**
 * A chain of client certificates that costs whoever verifies it as much as possible for its bytes: each is signed by a key of RSA whose public
 * exponent is as long as its modulus. 3072 bits is the longest modulus for which OpenSSL takes such an exponent.
 *
 * @param length certificates, the client's own included
 */
export function expensiveChain(length: number): { cert: string; key: string } {
  const signer = exponentAsLongAsModulus();
  const publicKey = createPublicKey(signer);
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const blocks = Array.from({ length }, (_, at) =>
    testCertificate({
      ...{ subject: `c${at}`, issuer: `c${at + 1}`, signedBy: signer },
      publicKey: at === 0 ? own.publicKey : publicKey,
      extensions: at === 0 ? [] : authorityExtensions(),
    }),
  );
  return {
    cert: blocks.map((der) => toPem('CERTIFICATE', der)).join(''),
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** The public and the private exponent of an ordinary key change places: to sign is cheap, to verify is not. */
export function exponentAsLongAsModulus(modulusLength = 3072): KeyObject {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const { n = '', e = '', d = '', p = '', q = '', qi = '' } = privateKey.export({ format: 'jwk' });
  const rest = (prime: string): string => encoded(numberOf(e) % (numberOf(prime) - 1n));
  return createPrivateKey({
    key: { kty: 'RSA', n, e: d, d: e, p, q, qi, dp: rest(p), dq: rest(q) },
    format: 'jwk',
  });
}

function numberOf(text: string): bigint {
  return BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
}

function encoded(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
}
