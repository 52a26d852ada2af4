import { spawnSync } from 'node:child_process';
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { createCsr, createKey } from './csr.ts';
import { fromPem, toPem } from './pem.ts';
import { readCsrKey } from './read-csr.ts';

/** What openssl says of a text, on both of its streams. */
function openssl(input: string, ...words: string[]): string {
  const { stdout, stderr } = spawnSync('openssl', words, { input, encoding: 'utf8' });
  return `${stdout}${stderr}`;
}

it('makes a request that openssl reads and whose signature it confirms', () => {
  const key = createKey();
  expect(openssl(key, 'pkey', '-noout', '-text')).toContain('prime256v1');
  const csr = createCsr(key, 'i-0123 ä');
  const text = openssl(csr, 'req', '-verify', '-noout', '-text', '-nameopt', 'utf8,sep_comma_plus_space');
  expect(text).toMatch(/verify OK/i);
  expect(text).toContain('CN=i-0123 ä');
  expect(text).toContain('ecdsa-with-SHA256');

  const damaged = fromPem('CERTIFICATE REQUEST', csr);
  damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
  expect(openssl(toPem('CERTIFICATE REQUEST', damaged), 'req', '-verify', '-noout')).not.toMatch(
    /verify OK/i,
  );
});

it('makes a request that our own authority reads', () => {
  const key = createKey();
  const expected = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'pem' });
  expect(readCsrKey(createCsr(key, 'node')).export({ type: 'spki', format: 'pem' })).toBe(expected);
});
