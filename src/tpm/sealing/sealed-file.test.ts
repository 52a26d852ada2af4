import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toPem } from '../../pki/pem.ts';
import { areaOfEndorsementKey } from '../objects/templates.ts';
import { isSealedFile } from './is-sealed-file.ts';
import { decrypt, readSealedFile, sealFile } from './sealed-file.ts';

const KEYS = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey,
  EC: generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
};

describe('a sealed file', () => {
  it.each(Object.entries(KEYS))(
    'for a key of kind %s is text that is recognised, and says nothing',
    (_, key) => {
      const ek = areaOfEndorsementKey(key);
      const text = Buffer.from(sealFile({ ek, path: '/etc/x', content: Buffer.from('a private key') }));
      expect(isSealedFile(text)).toBe(true);
      expect(readSealedFile(text).data.toString()).not.toContain('private');
      expect(() => decrypt(readSealedFile(text), Buffer.alloc(32), '/etc/x')).toThrow(/changed/);
      const other = Buffer.from(sealFile({ ek, path: '/etc/x', content: Buffer.from('a private key') }));
      expect(other.equals(text)).toBe(false);
    },
  );

  it('is refused when a part is missing', () => {
    const body = {
      version: 1,
      endorsementKey: 'sha256:0',
      pcrs: [],
      public: '',
      duplicate: '',
      seed: '',
      iv: '',
      data: '',
    };
    const made = (changed: object) =>
      Buffer.from(toPem('SLIPWAY SEALED FILE', Buffer.from(JSON.stringify(changed))));
    expect(readSealedFile(made(body)).pcrs).toEqual([]);
    for (const name of Object.keys(body))
      expect(() => readSealedFile(made({ ...body, [name]: undefined })), name).toThrow();
    expect(() => readSealedFile(made({ ...body, pcrs: [24] }))).toThrow();
    expect(() => readSealedFile(Buffer.from('-----BEGIN SLIPWAY SEALED FILE-----\nxx'))).toThrow(/cut off/);
    expect(isSealedFile(Buffer.from('plain'))).toBe(false);
  });

  it('is made for keys of the templates only', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey;
    expect(() => areaOfEndorsementKey(other)).toThrow(/neither/);
  });
});
