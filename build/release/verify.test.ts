import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../project.ts';

/** The script that users run, on folders that somebody else has filled. The case `release` runs it on a whole release. */
const SCRIPT = join(root, 'release/verify.sh');
const FILES = ['slipway-linux-x64', 'slipway.8'];

let scratch: string;
let folder: string;
let key: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'slipway-verify-'));
  key = makeRelease('release', '0.2.0');
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
beforeEach(() => {
  folder = join(scratch, 'folder');
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(scratch, 'release'), folder, { recursive: true });
});

/** minisign's forms (jedisct1/minisign, "Signature format"). @returns the public key */
function makeRelease(name: string, version: string): string {
  const made = join(scratch, name);
  mkdirSync(made);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const id = randomBytes(8);
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  for (const file of FILES) writeFileSync(join(made, file), `${file} of ${name}\n`);
  signFolder(made, privateKey, id, `slipway ${version} commit ${'a'.repeat(40)}`);
  return Buffer.concat([Buffer.from('Ed'), id, raw]).toString('base64');
}

function signFolder(made: string, secret: KeyObject, id: Buffer, comment: string): void {
  const sums = FILES.map((file) => `${sha256(join(made, file))}  ${file}\n`).join('');
  writeFileSync(join(made, 'SHA256SUMS'), sums);
  const signature = sign(null, createHash('blake2b512').update(sums).digest(), secret);
  const whole = sign(null, Buffer.concat([signature, Buffer.from(comment)]), secret);
  const own = Buffer.concat([Buffer.from('ED'), id, signature]).toString('base64');
  const lines = ['untrusted comment: x', own, `trusted comment: ${comment}`, whole.toString('base64'), ''];
  writeFileSync(join(made, 'SHA256SUMS.minisig'), lines.join('\n'));
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

const verify = (...words: string[]) =>
  execaSync('sh', [SCRIPT, ...words], {
    cwd: folder,
    reject: false,
    stripFinalNewline: false,
    timeout: 30_000,
  });

function expectRefused(why: RegExp, ...words: string[]): void {
  const { exitCode, stderr, stdout } = verify('-k', key, ...words);
  expect(stderr).toMatch(why);
  expect([exitCode, stdout]).toEqual([1, '']);
}

it('accepts a whole release, and a part of one', () => {
  const said = /^slipway 0\.2\.0 commit a{40}: signature and (\d) files are right\n$/;
  expect(said.exec(verify('-k', key, '-v', '0.2.0').stdout)?.[1]).toBe('2');
  rmSync(join(folder, 'slipway.8'));
  const file = join(scratch, 'key.pub');
  writeFileSync(file, `untrusted comment: of a test\n${key}\n`);
  expect(said.exec(verify('-k', file).stdout)?.[1]).toBe('1');
});

describe('refuses', () => {
  it.each([
    ['after a name that is signed', 'slipway.8\nevil'],
    ['before one', 'evil\n\nslipway.8'],
    ['that begins with a dot', '.evil'],
    ['of a pattern', '*'],
    ['that moves the cursor', '\u001b[2J\\033[31mevil'],
  ])('a file with a name %s', (_, name) => {
    writeFileSync(join(folder, name), 'evil');
    const { exitCode, stderr } = verify('-k', key);
    expect(stderr).toMatch(/not among the signed files\n$/);
    expect([exitCode, stderr.includes('\u001b')]).toEqual([1, false]);
  });

  it('folders and links that are not signed', () => {
    mkdirSync(join(folder, 'more'));
    expectRefused(/more is not among the signed files/);
    rmSync(join(folder, 'more'), { recursive: true });
    symlinkSync('/nowhere', join(folder, 'link'));
    expectRefused(/link is not among the signed files/);
  });

  it('a pipe in the place of a file, and does not wait for it', () => {
    rmSync(join(folder, 'slipway.8'));
    execaSync('mkfifo', [join(folder, 'slipway.8')]);
    expectRefused(/slipway\.8 is no file/);
  });

  it("somebody else's release that has a file named like the key that is trusted", () => {
    const stranger = makeRelease('strange', '0.2.0');
    for (const name of [...FILES, 'SHA256SUMS', 'SHA256SUMS.minisig'])
      cpSync(join(scratch, 'strange', name), join(folder, name));
    const planted = join(folder, key);
    mkdirSync(dirname(planted), { recursive: true });
    writeFileSync(planted, `untrusted comment: x\n${stranger}\n`);
    expectRefused(/signed by another key/);
  });

  it('an old release, a signature of another one, and files that were cut off', () => {
    expectRefused(/not slipway 0\.3\.0/, '-v', '0.3.0');
    expectRefused(/not slipway \*/, '-v', '*');
    expectRefused(/not slipway 0/, '-v', '0');
    truncateSync(join(folder, 'slipway-linux-x64'), 3);
    expectRefused(/slipway-linux-x64 is not what was signed/);
    truncateSync(join(folder, 'SHA256SUMS'), 80);
    expectRefused(/does not belong to SHA256SUMS/);
    makeRelease('other', '0.2.0');
    renameSync(join(scratch, 'other/SHA256SUMS.minisig'), join(folder, 'SHA256SUMS.minisig'));
    expectRefused(/signed by another key/);
    truncateSync(join(folder, 'SHA256SUMS.minisig'), 60);
    expectRefused(/no signature of minisign/);
  });
});
