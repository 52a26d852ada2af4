import { describe, expect, it } from 'vitest';
import { type Claim, verifyRelease } from './verify-release.ts';

/** Made by minisign 0.11: `minisign -S -m SHA256SUMS -t 'slipway 1.2.3 commit abc'`. */
const PUBLIC_KEY = 'RWRAkFIezhS8UVhKesoZPAQGUXWAOEDJS89fuFTHl3sq1pt32gj5nvhj';
const SIGNATURE = `untrusted comment: signature from minisign secret key
RURAkFIezhS8UVP0383zXkrfYO5NS1iKBfHrJaJahwZotPelsa3TjghTzx7cuceWNYFWsaIhDsdUmy0ludJP1xNxqBz7eraxNw8=
trusted comment: slipway 1.2.3 commit abc
MuBWRs0KSqqq/0/IiLpH9PrlKD2aa7b6xmtW8EJQ5b51LHDq/oujGsotxAQEge9XAHNQLsTroDhjfDuBdZHxAQ==
`;
/** The same with `-l`, the kind of signature before 0.8. */
const OLD_SIGNATURE = `untrusted comment: signature from minisign secret key
RWRAkFIezhS8UWDKq0+SCi/2K6hhHH7NOhjadqKJVYe/ubnG+uHWSKFq653p4zYlLvxmgdWUZsTWLQ5DgMcNiiM08TJx9IS9fQo=
trusted comment: slipway 1.2.3 commit abc
o7yrg+I3d3mlwCr1A5kIHSslipM/0vowfBHQNWemum8XXHzO5jENlR37P5jVoy8ZoT5vK4FU3Vek4bThGW2SBw==
`;
const SUMS = '50fda23bf0a5115d4f893dc10d122c10a4705f47688f5620e80611c092d4053e  slipway-linux-x64\n';

describe('verifyRelease', () => {
  const claim = (changed: Partial<Claim> = {}): Claim => ({
    version: '1.2.3',
    platform: 'linux-x64',
    program: Buffer.from('the program'),
    sums: Buffer.from(SUMS),
    signature: SIGNATURE,
    publicKey: PUBLIC_KEY,
    ...changed,
  });
  const why = (changed: Partial<Claim>) => expect(() => verifyRelease(claim(changed)));

  it('accepts what minisign has signed, with the key alone or the file that holds it', () => {
    const told = verifyRelease(claim());
    expect(told).toEqual({ sha256: SUMS.slice(0, 64), keyId: expect.stringMatching(/^[0-9A-F]{16}$/) });
    const file = `untrusted comment: minisign public key ${told.keyId}\n${PUBLIC_KEY}\n`;
    expect(verifyRelease(claim({ publicKey: file }))).toEqual(told);
  });

  it('refuses another program, another release, another platform', () => {
    why({ program: Buffer.from('the programm') }).toThrow('is not the released slipway-linux-x64');
    why({ version: '1.2.4' }).toThrow('for "slipway 1.2.3 commit abc", and this is slipway 1.2.4');
    why({ version: '1.2' }).toThrow('and this is slipway 1.2');
    why({ platform: 'linux-arm64' }).toThrow('the signed checksums do not include slipway-linux-arm64');
  });

  it('refuses sums, comments and signatures that were changed', () => {
    why({ sums: Buffer.from(`${SUMS}\n`) }).toThrow('one of the two was changed');
    why({ signature: SIGNATURE.replace('abc', 'abd') }).toThrow('its trusted comment was changed');
    const lines = SIGNATURE.split('\n');
    why({ signature: lines.slice(0, 3).join('\n') }).toThrow('not a minisign signature');
    why({ signature: '' }).toThrow('not a minisign signature');
    why({ signature: OLD_SIGNATURE }).toThrow('has the format of minisign before 0.8');
  });

  it('refuses another key, and what is none', () => {
    const other = `${PUBLIC_KEY.slice(0, 5)}${PUBLIC_KEY[5] === 'A' ? 'B' : 'A'}${PUBLIC_KEY.slice(6)}`;
    why({ publicKey: other }).toThrow('it is signed by the key');
    const changed = `${PUBLIC_KEY.slice(0, 30)}${PUBLIC_KEY[30] === 'A' ? 'B' : 'A'}${PUBLIC_KEY.slice(31)}`;
    why({ publicKey: changed }).toThrow('one of the two was changed');
    for (const publicKey of ['', 'RWQ', 'untrusted comment: x', PUBLIC_KEY.slice(4)])
      why({ publicKey }).toThrow('the public key is not a minisign key');
  });
});
