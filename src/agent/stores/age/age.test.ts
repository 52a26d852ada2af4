import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type World, world } from '../fixtures/world.ts';
import { fromBech32 } from './bech32.ts';
import { withoutArmour } from './file.ts';

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

const binary = withoutArmour(Buffer.from(FILE));
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
    ['no identity', undefined, 'SecretNotFound', /no identity/],
    ['another identity', 'AGE-SECRET-KEY-1', 'SecretUndecryptable', /no AGE-SECRET-KEY/],
    [
      'an identity with a slip',
      IDENTITY.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q')),
      'SecretUndecryptable',
      /no AGE-SECRET-KEY/,
    ],
    ['a key of SSH', '-----BEGIN OPENSSH PRIVATE KEY-----', 'SecretUndecryptable', /no AGE-SECRET-KEY/],
  ])('says what is wrong with %s', async (_, text, code, cause) => {
    const identities = [text === undefined ? '/etc/none' : '/etc/other'];
    if (text !== undefined) writeFileSync(join(made.root, 'etc/other'), text);
    const failed = made.read(at(binary), { age: { identities } });
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringMatching(cause) });
  });

  it('knows the texts of BIP 173', () => {
    expect(fromBech32('A12UEL5L', 'a')).toEqual(Buffer.alloc(0));
    expect(
      fromBech32('split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w', 'split')?.toString('hex'),
    ).toBe('c5f38b70305f519bf66d85fb6cf03058f3dde463ecd7918f2dc743918f2d');
    for (const wrong of ['A12UEL5l', 'A12UEL5M', 'split1cheo2y9e2w', '1pzry9x0s0muk', 'a1'])
      expect(fromBech32(wrong, wrong.split('1', 1)[0]?.toLowerCase() ?? '')).toBeUndefined();
  });
});
