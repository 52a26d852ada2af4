import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../test/support/tmp/scratch.ts';
import { PLATFORMS } from '../platforms.ts';
import { makeOci, makeOciIndex } from './oci.ts';

let folder: string;
beforeEach(() => {
  folder = scratch();
  for (const name of [...PLATFORMS.map((platform) => `slipway-${platform}`), 'LICENSES.txt'])
    writeFileSync(join(folder, name), `the content of ${name}`);
});

it('packs the agents of all platforms into one image, each as in an image of its own', () => {
  const made = { from: folder, version: '1.2.3', epoch: 1_700_000_000, output: join(folder, 'slipway') };
  const path = makeOciIndex(PLATFORMS, made);
  expect(path).toBe(join(folder, 'slipway-1.2.3.oci.tar'));
  const [named] = read(path, 'index.json').manifests;
  expect(named.annotations).toEqual({ 'org.opencontainers.image.ref.name': 'slipway:1.2.3' });
  const { manifests } = read(path, blob(named.digest));
  expect(manifests.map((each: { platform: unknown }) => each.platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const [at, platform] of PLATFORMS.entries()) {
    const [own] = read(makeOci({ ...made, platform }), 'index.json').manifests;
    expect(manifests[at].digest).toBe(own.digest);
    const [layer] = read(path, blob(own.digest)).layers;
    execaSync('tar', ['-xf', path, '-C', folder, blob(layer.digest)]);
    const unpacked = execaSync('tar', ['-xzOf', join(folder, blob(layer.digest)), 'slipway']);
    expect(unpacked.stdout).toBe(`the content of slipway-${platform}`);
  }
  expect(makeOciIndex(PLATFORMS, { ...made, output: join(folder, 'again') })).toSatisfy((again: string) =>
    readFileSync(again).equals(readFileSync(path)),
  );
});

function blob(digest: string): string {
  return `blobs/${digest.replace(':', '/')}`;
}

function read(archive: string, name: string) {
  return JSON.parse(execaSync('tar', ['-xOf', archive, name]).stdout);
}
