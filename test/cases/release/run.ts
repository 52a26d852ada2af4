import assert from 'node:assert/strict';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectVersion } from '../../../build/project.ts';
import { cloneCheckout } from '../../../build/release/clone.ts';
import { realMinisign } from '../../support/release/minisign.ts';
import { expectDescribed } from './described.ts';

export const about =
  'a release is signed and says what is in it; whoever checks it finds out what was changed';

type Say = (line: string) => void;

export async function run(say: Say): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-release-'));
  try {
    const [checkout, made] = [join(folder, 'checkout'), join(folder, 'made')];
    cloneCheckout(checkout);
    const minisign = await realMinisign(say);
    const [key, publicKey] = [join(folder, 'key'), join(folder, 'key.pub')];
    await minisign('-G', '-W', '-s', key, '-p', publicKey);
    const { env } = minisign;
    // The other formats take minutes; the case `packages` makes them.
    const words = ['build/release.ts', '--key', key, '--out', made, '--images', 'oci'];
    await execa(process.execPath, words, { cwd: checkout, env });
    say('a release, signed by a key of this test');

    await minisign('-V', '-p', publicKey, '-m', join(made, 'SHA256SUMS'));
    expectDescribed(made);
    await expectImages(made);
    say('minisign verifies it; SBOMs and provenance name the files, the commit and Node.js');
    await expectProgram(made, publicKey);
    await expectScript(made, publicKey, folder);
    await minisign('-G', '-W', '-f', '-s', key, '-p', publicKey);
    await expectStranger(made, publicKey);
    say('verify.sh and slipway version --verify accept it, and nothing that was changed');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packages lie beside the programs they are of, and so does what image builds take as it is. */
async function expectImages(made: string): Promise<void> {
  const version = projectVersion();
  const digests: string[] = [];
  for (const [platform, architecture] of [
    ['linux-x64', 'amd64'],
    ['linux-arm64', 'arm64'],
  ]) {
    const image = join(made, `slipway-${version}-${architecture}.oci.tar`);
    const layout = join(made, `../${platform}`);
    mkdirSync(layout);
    await execa('tar', ['-xf', image, '-C', layout]);
    digests.push(...digestsIn(join(layout, 'index.json')));
    const layer = readdirSync(join(layout, 'blobs/sha256')).find(
      (name) => statSync(join(layout, 'blobs/sha256', name)).size > 1_000_000,
    );
    await execa('tar', ['-xzf', join(layout, 'blobs/sha256', layer ?? ''), '-C', layout]);
    assert.ok(readFileSync(join(layout, 'slipway')).equals(readFileSync(join(made, `slipway-${platform}`))));
  }
  const both = join(made, '../both');
  mkdirSync(both);
  await execa('tar', ['-xf', join(made, `slipway-${version}.oci.tar`), '-C', both]);
  const [index = ''] = digestsIn(join(both, 'index.json'));
  assert.deepEqual(digestsIn(join(both, 'blobs', index.replace(':', '/'))), digests);
  const { stdout } = await execa('tar', ['-tzf', join(made, 'slipway-images.tar.gz')]);
  for (const path of [
    'cloud-init/vendor-data.sh',
    'docs/windows.md',
    'images/README.md',
    'images/disk/build.sh',
    'images/disk/root/etc/fstab',
    'images/slipway-controller/Containerfile',
    'ignition/sysext.ign',
    'packer/slipway.pkr.hcl',
    'windows/install.ps1',
  ])
    assert.ok(stdout.split('\n').includes(`slipway-images/${path}`), stdout);
}

/** Of the images that an index of an OCI layout names. */
function digestsIn(path: string): string[] {
  const { manifests } = JSON.parse(readFileSync(path, 'utf8'));
  return manifests.map(({ digest }: { digest: string }) => digest);
}

/** The program looks at its own file. */
async function expectProgram(made: string, publicKey: string): Promise<void> {
  const program = join(made, 'slipway-linux-x64');
  const words = ['version', '--verify', join(made, 'SHA256SUMS'), '--public-key'];
  const { stdout } = await execa(program, [...words, publicKey]);
  assert.match(stdout, /is slipway \S+ for linux-x64, signed by [0-9A-F]{16}$/);
  const key = readFileSync(publicKey, 'utf8').split('\n')[1] ?? '';
  assert.equal((await execa(program, [...words, key])).stdout, stdout);
  const other = `${made}-program`;
  cpSync(program, other);
  appendFileSync(other, 'x');
  const changed = await execa(other, [...words, publicKey], { reject: false });
  assert.equal(changed.exitCode, 1);
  assert.match(changed.stderr, /not verified: this program is not the released slipway-linux-x64/);
  const without = await execa(program, words.slice(0, 3), { reject: false });
  assert.equal(without.exitCode, 2);
  assert.match(without.stderr, /holds no public key/);
}

/** The script that users run, by dash, on the release and on what somebody has changed in it. */
async function expectScript(made: string, publicKey: string, folder: string): Promise<void> {
  const verify = (where: string, ...words: string[]) =>
    execa('sh', ['release/verify.sh', '-k', publicKey, ...words, where], { reject: false });
  const version = (await execa(join(made, 'slipway-linux-x64'), ['version'])).stdout.split(' ')[1] ?? '';
  const good = await verify(made, '-v', version);
  assert.equal(good.stderr, '');
  assert.match(good.stdout, /^slipway \S+ commit [0-9a-f]{40}: signature and \d+ files are right$/);
  assert.match((await verify(made, '-v', '9.9.9')).stderr, /not slipway 9\.9\.9/);

  const refuses = async (name: string, change: (text: string) => string, why: RegExp): Promise<void> => {
    const copy = join(folder, 'copy');
    cpSync(made, copy, { recursive: true });
    const path = join(copy, name);
    writeFileSync(path, change(name === 'new' ? '' : readFileSync(path, 'latin1')), 'latin1');
    const { exitCode, stderr } = await verify(copy);
    assert.equal(exitCode, 1, name);
    assert.match(stderr, why);
    rmSync(copy, { recursive: true });
  };
  await refuses('slipway-linux-arm64', (text) => `${text}x`, /slipway-linux-arm64 is not what was signed/);
  await refuses('new', () => 'x', /new is not among the signed files/);
  await refuses('SHA256SUMS', (text) => text.replace(/^./, 'x'), /signature does not belong to SHA256SUMS/);
  await refuses(
    'SHA256SUMS.minisig',
    (text) => text.replace('commit', 'comet'),
    /trusted comment was changed/,
  );
  await refuses('SHA256SUMS.minisig', () => 'x', /no signature of minisign/);
}

/** Another key than the one that signed. */
async function expectStranger(made: string, publicKey: string): Promise<void> {
  const { exitCode, stderr } = await execa('sh', ['release/verify.sh', '-k', publicKey, made], {
    reject: false,
  });
  assert.equal(exitCode, 1);
  assert.match(stderr, /signed by another key/);
}
