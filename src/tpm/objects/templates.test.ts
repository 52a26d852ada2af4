import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { recordedQuote } from '../evidence/fixtures/quote-evidence.ts';
import { COMMAND, HANDLE } from '../wire/constants.ts';
import { MalformedError } from '../wire/reader.ts';
import { u32 } from '../wire/writer.ts';
import { decodePublic, encodePublic, keyOf, nameOf } from './public-area.ts';
import { AK, EK_EC, EK_RSA } from './templates.ts';

const sha256 = (...parts: Uint8Array[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

describe('templates', () => {
  it('have the policy that one TPM2_PolicySecret of the endorsement hierarchy gives', () => {
    const once = sha256(Buffer.alloc(32), u32(COMMAND.policySecret), u32(HANDLE.endorsement));
    expect(Buffer.from(EK_RSA.policy)).toEqual(sha256(once));
    expect(EK_EC.policy).toBe(EK_RSA.policy);
  });

  it('have the attributes of the TCG profiles', () => {
    expect([EK_RSA, EK_EC, AK].map(({ attributes }) => attributes.toString(16))).toEqual([
      '300b2',
      '300b2',
      '50472',
    ]);
  });
});

describe('a public area', () => {
  const { ak, ek } = recordedQuote();

  it.each([
    ['EC', ak],
    ['RSA', ek],
  ])('of %s is read and written byte for byte as the TPM gave it', (_, bytes) => {
    const area = decodePublic(bytes);
    expect(encodePublic(area)).toEqual(bytes);
    expect(nameOf(area)).toEqual(Buffer.concat([Buffer.from('000b', 'hex'), sha256(bytes)]));
    if (area.type !== 'sealed') expect(keyOf(area).type).toBe('public');
  });

  it('is refused when anything is cut off, follows, or is of another kind', () => {
    for (let length = 0; length < ak.length; length += 1)
      expect(() => decodePublic(ak.subarray(0, length))).toThrow(/cut off/);
    expect(() => decodePublic(Buffer.concat([ak, Buffer.alloc(1)]))).toThrow(/too many/);
    for (const at of [1, 3, 11, 13, 15, 17, 19]) {
      const other = Buffer.from(ak);
      other[at] = 0x77;
      expect(() => decodePublic(other)).toThrow();
    }
  });

  it('whose numbers are no point of its curve, or no modulus, makes no key', () => {
    const [point, modulus] = [decodePublic(ak), decodePublic(ek)];
    if (point.type !== 'ec' || modulus.type !== 'rsa') throw new Error('other kinds were recorded');
    expect(() => keyOf({ ...point, x: Buffer.alloc(32, 9) })).toThrow(MalformedError);
    expect(() => keyOf({ ...point, x: Buffer.alloc(40, 9) })).toThrow(MalformedError);
    expect(() => keyOf({ ...modulus, modulus: Buffer.alloc(0) })).toThrow(MalformedError);
  });
});
