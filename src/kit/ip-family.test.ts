import { isIP } from 'node:net';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ipFamily } from './ip-family.ts';

it('agrees with the operating system, but for zones', () => {
  const piece = fc.constantFrom(
    '0',
    '1',
    '9',
    '25',
    '255',
    '256',
    'f',
    'ffff',
    '.',
    '.',
    ':',
    ':',
    '::',
    '%',
    '-',
    '',
  );
  const near = fc.array(piece, { maxLength: 16 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), near), (text) => {
      expect(ipFamily(text) ?? 0).toBe(text.includes('%') ? 0 : isIP(text));
    }),
    { numRuns: 5_000 },
  );
});

it.each(['', '010.0.0.1', '1.2.3', '[::1]', 'fe80::1%eth0', '1.2.3.4/8', '::1 '])(
  'is no address: %s',
  (text) => {
    expect(ipFamily(text)).toBeUndefined();
  },
);
