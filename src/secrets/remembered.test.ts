import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redact } from './redact.ts';
import { rememberSecrets } from './remembered.ts';

it('hides the longest first, wherever they stand', () => {
  expect(redact('a secretive word')).toBe('a secretive word');
  rememberSecrets(['the-word', 'the-word-and-more']);
  expect(redact('a the-word-and-more, xthe-wordx')).toBe('a [redacted], x[redacted]x');
});

it('takes no short word for a secret', () => {
  rememberSecrets(['abc', '']);
  expect(redact('abc abc')).toBe('abc abc');
});

it('hides each line of a key', () => {
  rememberSecrets(['-- head --\nMIIEowIBAAKCAQEA\nshort\n-- end --\n']);
  expect(redact('first MIIEowIBAAKCAQEA, short')).toBe('first [redacted], short');
});

it('hides a secret as JSON, URLs and base64 write it, alone or within something longer', () => {
  const secrets = fc.stringMatching(/^[!-~]([ -~äß語]{6,40})[!-~]$/u);
  const around = fc.stringMatching(/^[a-z:]{0,5}$/);
  fc.assert(
    fc.property(secrets, around, around, (secret, before, after) => {
      rememberSecrets([secret]);
      const whole = `${before}${secret}${after}`;
      expect(redact(whole)).not.toContain(secret);
      expect(redact(JSON.stringify(whole))).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(redact(`?q=${encodeURIComponent(whole)}`)).not.toContain(encodeURIComponent(secret));
      for (const encoding of ['base64', 'base64url'] as const)
        expect(redact(Buffer.from(whole).toString(encoding))).toContain('[redacted]');
    }),
    { numRuns: 60 },
  );
});

it('hides what is in base64 in the first text that is long enough to hold it, and in all that follow', () => {
  const [short, long] = ['a-short-secret', `a-secret-of-some-length-${'x'.repeat(40)}`];
  rememberSecrets([short, long]);
  const told = [short, long].map((secret) => Buffer.from(`user:${secret}`).toString('base64'));
  for (const _ of [1, 2]) {
    expect(redact('nothing')).toBe('nothing');
    for (const text of told) expect(redact(text)).toMatch(/^\S{0,8}\[redacted\]\S{0,4}$/);
  }
});

it('hides a secret that is another one in base64 in all its forms too', () => {
  const one = 'one-of-two-secrets';
  const other = Buffer.from(one).toString('base64');
  rememberSecrets([one]);
  expect(redact(other)).toContain('[redacted]');
  rememberSecrets([other]);
  expect(redact(Buffer.from(other).toString('base64'))).toBe('[redacted]');
});
