import fc from 'fast-check';
import { expect, it } from 'vitest';
import { remember } from './known.ts';
import { redact } from './redact.ts';

it('hides the longest first, wherever they stand', () => {
  expect(redact('a secretive word')).toBe('a secretive word');
  remember(['the-word', 'the-word-and-more']);
  expect(redact('a the-word-and-more, xthe-wordx')).toBe('a [redacted], x[redacted]x');
});

it('takes no short word for a secret', () => {
  remember(['abc', '']);
  expect(redact('abc abc')).toBe('abc abc');
});

it('hides each line of a key', () => {
  remember(['-- head --\nMIIEowIBAAKCAQEA\nshort\n-- end --\n']);
  expect(redact('first MIIEowIBAAKCAQEA, short')).toBe('first [redacted], short');
});

it('hides a secret as JSON, URLs and base64 write it, alone or within something longer', () => {
  const secrets = fc.stringMatching(/^[!-~]([ -~äß語]{6,40})[!-~]$/u);
  const around = fc.stringMatching(/^[a-z:]{0,5}$/);
  fc.assert(
    fc.property(secrets, around, around, (secret, before, after) => {
      remember([secret]);
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
