import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decodePublic, type EcArea } from '../objects/public-area.ts';
import { AK } from '../objects/templates.ts';
import { ATTRIBUTE } from '../wire/constants.ts';
import { bytesOf, sized, u16 } from '../wire/writer.ts';
import { recordedQuote, SELECTION } from './fixtures/quote-evidence.ts';
import { checkAttestationKey, type QuoteEvidence, verifyQuote } from './verify-quote.ts';

const { evidence, nonce, ek } = recordedQuote();

/** Each variant of the bytes with one bit changed. */
function* changed(bytes: Uint8Array): Generator<Buffer> {
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    yield copy;
  }
}

function areaWith(attributes: number): EcArea {
  if (evidence.ak.type !== 'ec') throw new Error('the recorded key is on a curve');
  return { ...evidence.ak, attributes };
}

/** Signed by a key that says of itself what an attestation key says. */
function bySoftware(quoted: Uint8Array): Pick<QuoteEvidence, 'ak' | 'quoted' | 'signature'> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const numbers = sign('sha256', quoted, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const halves = [sized(numbers.subarray(0, 32)), sized(numbers.subarray(32))];
  const point = { x: Buffer.from(x, 'base64url'), y: Buffer.from(y, 'base64url') };
  const ak = { ...areaWith(AK.attributes), ...point };
  return { ak, quoted, signature: bytesOf(u16(0x18), u16(0x0b), ...halves) };
}

/** Its first `from` (in hex) is `to`. */
function replaced(bytes: Buffer, from: string, to: string): Buffer {
  const hex = bytes.toString('hex');
  expect(hex).toContain(from);
  return Buffer.from(hex.replace(from, to), 'hex');
}

describe('verifyQuote', () => {
  it('takes what a TPM signed, and says what the TPM said of itself', () => {
    expect(verifyQuote(evidence, nonce, SELECTION)).toMatchObject({ restartCount: 0 });
  });

  it('refuses a change of any single bit of quote, signature or challenge', () => {
    for (const quoted of changed(evidence.quoted))
      expect(() => verifyQuote({ ...evidence, quoted }, nonce, SELECTION)).toThrow();
    for (const signature of changed(evidence.signature))
      expect(() => verifyQuote({ ...evidence, signature }, nonce, SELECTION)).toThrow();
    for (const other of changed(nonce))
      expect(() => verifyQuote(evidence, other, SELECTION)).toThrow(/another challenge/);
  });

  it('refuses a change of any single bit of any register', () => {
    for (const [pcr, value] of evidence.values) {
      for (const other of changed(value)) {
        const values = new Map([...evidence.values, [pcr, other]]);
        expect(() => verifyQuote({ ...evidence, values }, nonce, SELECTION)).toThrow(/TPM signed/);
      }
    }
  });

  it.each([
    ['fewer registers', { bank: 11, pcrs: [0, 1, 4] }],
    ['more registers', { bank: 11, pcrs: [0, 1, 2, 4, 7] }],
    ['another bank', { bank: 4, pcrs: [0, 1, 4, 7] }],
    ['no register', { bank: 11, pcrs: [] }],
  ])('refuses it where %s were asked for', (_, selection) => {
    expect(() => verifyQuote(evidence, nonce, selection)).toThrow();
  });

  it('refuses bytes after the quote, the signature and values that nobody asked for', () => {
    const more = Buffer.from([0]);
    const values = new Map([...evidence.values, [9, Buffer.alloc(32)]]);
    for (const wrong of [
      { quoted: Buffer.concat([evidence.quoted, more]) },
      { signature: Buffer.concat([evidence.signature, more]) },
      { values },
    ])
      expect(() => verifyQuote({ ...evidence, ...wrong }, nonce, SELECTION)).toThrow();
  });

  it.each([
    ['bytes behind it', (quoted: Buffer) => Buffer.concat([quoted, Buffer.from([0])]), /1 bytes too many/],
    [
      'registers that nobody asked for',
      (quoted: Buffer) => replaced(quoted, '03930000', '03130100'),
      /requested PCRs/,
    ],
    ['another bank', (quoted: Buffer) => replaced(quoted, '000b03', '000c03'), /requested PCRs/],
    ['what is no quote', (quoted: Buffer) => replaced(quoted, '8018', '8017'), /not a quote/],
    ['what no TPM made', (quoted: Buffer) => replaced(quoted, 'ff544347', 'ff544348'), /not made by a TPM/],
  ])('refuses a quote that is signed well, with %s', (_, change, why) => {
    const signed = bySoftware(change(Buffer.from(evidence.quoted)));
    expect(() => verifyQuote({ ...evidence, ...signed }, nonce, SELECTION)).toThrow(why);
  });

  it('refuses what a key in software signed, though it says the same', () => {
    const signed = bySoftware(evidence.quoted);
    const ak = { ...signed.ak, attributes: AK.attributes & ~ATTRIBUTE.fixedTpm };
    expect(() => verifyQuote({ ...evidence, ...signed, ak }, nonce, SELECTION)).toThrow(
      /restricted to signing/,
    );
    // With attributes that lie, the Name is another one, and no credential is made for it; the signature alone is sound.
    expect(() => verifyQuote({ ...evidence, ...signed }, nonce, SELECTION)).not.toThrow();
  });
});

describe('checkAttestationKey', () => {
  it.each(Object.entries(ATTRIBUTE))('does not take a key with another %s, but for noDa', (name, bit) => {
    const check = () => checkAttestationKey(areaWith(AK.attributes ^ bit));
    if (name === 'noDa') expect(check).not.toThrow();
    else expect(check).toThrow(/restricted to signing/);
  });

  it('takes neither an endorsement key nor a sealed object', () => {
    expect(() => checkAttestationKey(decodePublic(ek))).toThrow();
    expect(() =>
      checkAttestationKey({
        type: 'sealed',
        attributes: 0,
        policy: Buffer.alloc(0),
        unique: Buffer.alloc(32),
      }),
    ).toThrow();
  });
});
