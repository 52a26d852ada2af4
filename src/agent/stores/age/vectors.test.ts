import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import * as vectors from 'cctv-age';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type World, world } from '../fixtures/world.ts';
import { openAge } from './age.ts';

/** The test vectors that the age project publishes for every implementation of its format, made by age itself. */
interface Vector {
  name: string;
  expect: string;
  identities: string[];
  payloadSha256: string | undefined;
  file: Buffer;
}

const CAUSES: Readonly<Record<string, RegExp>> = {
  'no match': /an identity/,
  'HMAC failure': /header is truncated or was changed/,
  'header failure': /header is truncated or was changed|first line is not/,
  'payload failure': /content is truncated or was changed/,
  'armor failure': /last line is missing|base64|first line is not/,
};

/** Without the files for a passphrase, which Slipway does not ask for. */
const all = Object.entries(vectors).map(read).filter(isForIdentities);

let made: World;
beforeAll(async () => {
  made = await world(() => ({ status: 404 }));
  mkdirSync(join(made.root, 'etc/slipway'), { recursive: true });
});
afterAll(() => made.close());

describe("age's own test vectors", () => {
  it('are there', () => {
    const count = (what: string) => all.filter((vector) => vector.expect === what).length;
    expect([count('success'), ...Object.keys(CAUSES).map(count)]).toEqual([24, 9, 1, 40, 19, 22]);
  });

  it.each(all)('$expect: $name', async ({ expect: expected, identities, payloadSha256, file }) => {
    writeFileSync(join(made.root, 'etc/slipway/age.key'), identities.join('\n'));
    const opened = openAge({ host: made.host, spec: { settings: {} } }, file);
    if (expected === 'success') {
      expect(
        createHash('sha256')
          .update(await opened)
          .digest('hex'),
      ).toBe(payloadSha256);
      return;
    }
    await expect(opened).rejects.toMatchObject({
      name: 'SecretError',
      code: 'SecretUndecryptable',
      message: expect.stringMatching(CAUSES[expected] ?? 'an unknown expectation'),
    });
  });
});

function read([name, content]: [string, Uint8Array]): Vector & { needsPassphrase: boolean } {
  const bytes = Buffer.from(content);
  const end = bytes.indexOf('\n\n');
  const fields = bytes
    .toString('latin1', 0, end)
    .split('\n')
    .map((line) => line.split(': ') as [string, string]);
  const valuesOf = (key: string) => fields.filter(([name]) => name === key).map(([, value]) => value);
  const body = bytes.subarray(end + 2);
  return {
    name,
    expect: valuesOf('expect')[0] ?? '',
    identities: valuesOf('identity'),
    payloadSha256: valuesOf('payload')[0],
    file: valuesOf('compressed')[0] === 'zlib' ? inflateSync(body) : body,
    needsPassphrase: valuesOf('passphrase').length > 0,
  };
}

function isForIdentities({ identities, needsPassphrase }: ReturnType<typeof read>): boolean {
  return identities.length > 0 && !needsPassphrase;
}
