import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateIdentity } from 'age-encryption';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type World, world } from '../fixtures/world.ts';

/** Made by age 1.1.1 for this test, for two recipients; nothing else was ever encrypted for them. */
const IDENTITY = 'AGE-SECRET-KEY-13MC67SF7PLHZ6W9FKT7A3E0SYEYF5LZ0M3T3UMAC9G8278N2VDNSH8YKLR';
const FILE = `-----BEGIN AGE ENCRYPTED FILE-----
YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSA2cTljeGVaNmJXbWx4T2pZ
YU9LWjZJVmZCQW1wTXNOVFc4ai9aTFhIWWtNCk5hUmd1RjhQeGZnc0ZDaHY3Q2lj
QjNvdW1oNVlzNHB4NXdJSm5neE55enMKLT4gWDI1NTE5IDJIZWk2WFR2a3dJbWNQ
YW9mUVNlcXgxcTltU3JiQmFscVg5Z1RZblN6QW8KT2VmclBGS3JUMkhZaUl3WWdX
cWJ5QThuTVZhM3dsUHV5UC8zdnA4VkdTZwotLS0gcWJKNnduZUZjV2xTdUxMbVR1
RWxDeUFEa21KTFcya2x3SG16K1NHcWliawrM5ETRXUGDkEE/rWt3i5yFtvJahQfE
CBxE5C3fO8nTLTVLS4V8RrFRmga97MsRR9FedQ==
-----END AGE ENCRYPTED FILE-----
`;

const binary = Buffer.from(FILE.replace(/-----.*-----/g, ''), 'base64');
const HEADER = binary.toString('latin1').split('--- ', 1)[0] ?? '';
/** A header with other recipients; its MAC is never reached. */
const withStanza = (...stanzas: string[]) => {
  const body = Buffer.alloc(32).toString('base64').slice(0, -1);
  const lines = stanzas.map((stanza) => `-> ${stanza}\n${body}\n`).join('');
  return `age-encryption.org/v1\n${lines}--- ${body}\n${'x'.repeat(100)}`;
};
const at = (bytes: Uint8Array) => `age+data:;base64,${Buffer.from(bytes).toString('base64')}`;

let made: World;
beforeEach(async () => {
  made = await world(() => ({ status: 404 }));
  mkdirSync(join(made.root, 'etc/slipway'), { recursive: true });
  writeFileSync(join(made.root, 'etc/slipway/age.key'), `# created: today\n\n${IDENTITY}\n`);
});
afterEach(() => made.close());

describe('age', () => {
  it('opens what age encrypted, armoured or not, from wherever it lies', async () => {
    writeFileSync(join(made.root, 'etc/f.age'), FILE);
    for (const address of [
      at(Buffer.from(FILE)),
      at(binary),
      `age+data:,${encodeURIComponent(FILE)}`,
      'age+file:///etc/f.age',
    ])
      expect(await made.read(address)).toBe('a secret from age\n');
  });

  it('refuses it when any one bit was changed, and at any length that it was cut to', async () => {
    for (let byte = 0; byte < binary.length; byte += 1) {
      const changed = Buffer.from(binary);
      changed.writeUInt8((changed[byte] ?? 0) ^ (1 << (byte % 8)), byte);
      await expect(made.read(at(changed)), `byte ${byte}`).rejects.toMatchObject({
        code: 'SecretUndecryptable',
      });
      await expect(made.read(at(binary.subarray(0, byte))), `cut to ${byte}`).rejects.toMatchObject({
        code: 'SecretUndecryptable',
      });
    }
  });

  it.each([
    ['no identity', undefined, 'SecretNotFound', /no age identity/],
    ['another identity', 'AGE-SECRET-KEY-1', 'SecretUndecryptable', /not AGE-SECRET-KEY/],
    [
      'an identity with a slip',
      IDENTITY.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q')),
      'SecretUndecryptable',
      /not AGE-SECRET-KEY/,
    ],
    ['a key of SSH', '-----BEGIN OPENSSH PRIVATE KEY-----', 'SecretUndecryptable', /not AGE-SECRET-KEY/],
  ])('says what is wrong with %s', async (_, text, code, cause) => {
    const identities = [text === undefined ? '/etc/none' : '/etc/other'];
    if (text !== undefined) writeFileSync(join(made.root, 'etc/other'), text);
    const failed = made.read(at(binary), { age: { identities } });
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(cause) });
  });

  it.each<[string, string, RegExp]>([
    ['no file of age', 'age-encryption.org/v2\n', /not age-encrypted \(its first line/],
    ['armour without its last line', FILE.slice(0, -2).trimEnd().slice(0, -20), /last line is missing/],
    ['armour with a letter missing', FILE.replace('YWdl', 'YWd'), /base64 is truncated or damaged/],
    ['half of a header', HEADER.slice(0, 80), /its header is truncated or was changed/],
    [
      'a share of low order',
      withStanza(`X25519 ${'A'.repeat(43)}`),
      /its header is truncated or was changed/,
    ],
    ['a passphrase', withStanza(`scrypt ${'A'.repeat(22)} 62`), /\(its recipients: scrypt\)/],
    ['a key of SSH', withStanza('ssh-ed25519 /7F+Zw AAAA'), /\(its recipients: ssh-ed25519\)/],
    ['a type with strange letters', withStanza("a$(b)'c"), /\(its recipients: a\?\?b\?\?c\)/],
    ['a type of great length', withStanza('a'.repeat(100_000)), /\(its recipients: a{40}\)/],
    [
      'a thousand types',
      withStanza(...Array.from({ length: 1000 }, (_, index) => `t${index}`)),
      /\(its recipients: t0, t1, t2, t3, t4 and others\)/,
    ],
  ])('says what is wrong with a file: %s', async (_, text, cause) => {
    await expect(made.read(at(Buffer.from(text)))).rejects.toMatchObject({
      code: 'SecretUndecryptable',
      message: expect.stringMatching(cause),
    });
  });

  it('opens by whichever of several identities fits', async () => {
    const other = await generateIdentity();
    writeFileSync(join(made.root, 'etc/several'), `${other}\n# mine\r\n  ${IDENTITY}\r\n`);
    const identities = ['/etc/none', '/etc/several'];
    expect(await made.read(at(binary), { age: { identities } })).toBe('a secret from age\n');
  });
});
