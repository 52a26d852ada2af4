import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overwriteSecrets } from './overwrite-secrets.ts';

const SECRET = 'fedcba9876543210';
const HOLE = 'a'.repeat(SECRET.length);
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const black = (text: string) => overwriteSecrets(Buffer.from(text), [SECRET]).toString();

describe('overwriteSecrets', () => {
  it('fills a secret in and moves nothing', () => {
    expect(black(`token: abcdef.${SECRET}\nü`)).toBe(`token: abcdef.${HOLE}\nü`);
    expect(overwriteSecrets(Buffer.from('{"a": "p\\"ass-word"}'), ['p"ass-word']).toString()).toBe(
      `{"a": "${'a'.repeat(11)}"}`,
    );
    expect(overwriteSecrets(Buffer.from('passwörter'), ['passwört']).toString()).toBe(`${'a'.repeat(9)}er`);
  });

  it('knows how Python writes what is not ASCII, as cloud-init keeps it', () => {
    const secret = 'pässwört-€-😀';
    const json = String.raw`{"password": "p\u00e4ssw\u00f6rt-\u20ac-\ud83d\ude00"}`;
    const yaml = String.raw`password: "p\xE4ssw\xF6rt-\u20AC-\U0001F600"`;
    for (const kept of [json, yaml]) {
      const found = overwriteSecrets(Buffer.from(kept), [secret]).toString();
      expect(found).toHaveLength(kept.length);
      expect(found).toMatch(/password"?: "a+"/);
    }
  });

  it('fills it in within base64, over lines, beside other words', () => {
    const inner = `password: ${SECRET}\nand more of it, to the end of the line and of the next`;
    const lines = base64(inner).replace(/.{20}/g, '$&\n    ');
    const text = `- path: /a\n  content: ${lines}\n  permissions: '0600'\n- ${base64(inner)}`;
    const found = black(text);
    expect(found).toHaveLength(text.length);
    const hidden = base64(inner.replace(SECRET, HOLE));
    expect(found).toBe(
      `- path: /a\n  content: ${hidden.replace(/.{20}/g, '$&\n    ')}\n  permissions: '0600'\n- ${hidden}`,
    );
  });

  it('fills it in within gzip, which stays as long as it was', () => {
    const user = gzipSync(`#cloud-config\nruncmd: [kubeadm join --token abcdef.${SECRET}]\n`);
    const found = overwriteSecrets(user, [SECRET]);
    expect(found).toHaveLength(user.length);
    expect(gunzipSync(found).toString()).toContain(`abcdef.${HOLE}]`);
    const wrapped = black(`content: ${base64(user)}`);
    expect(gunzipSync(Buffer.from(wrapped.slice('content: '.length), 'base64')).toString()).toContain(HOLE);
  });

  it('leaves what holds no secret as it is, be it damaged', () => {
    for (const bytes of [
      gzipSync('a'),
      Buffer.from([0x1f, 0x8b, 1, 2]),
      Buffer.from('no secret, short'),
      Buffer.of(),
    ])
      expect(overwriteSecrets(bytes, [SECRET, 'short'])).toBe(bytes);
  });

  it('is at its end after one pass, and keeps the length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ minLength: 6 }),
        fc.string(),
        (before, secret, after) => {
          const bytes = Buffer.from(before + secret + after);
          const once = overwriteSecrets(bytes, [secret]);
          expect(once).toHaveLength(bytes.length);
          expect(overwriteSecrets(once, [secret])).toBe(once);
        },
      ),
    );
  });
});
