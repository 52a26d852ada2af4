import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageTar } from './image-tar.ts';

const spec = {
  name: 'example.test/thing:1',
  files: [{ path: '/usr/local/bin/thing', data: Buffer.from('#!/bin/true\n'.repeat(100)) }],
  entrypoint: ['/usr/local/bin/thing'],
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'lab-tar-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

/** Unpack with the system's own tar, which knows nothing of ours. */
function unpack(archive: Uint8Array, name: string): string {
  const [file, to] = [join(dir, `${name}.tar`), join(dir, name)];
  writeFileSync(file, archive);
  mkdirSync(to);
  execaSync('tar', ['-xf', file, '-C', to, '--no-same-owner']);
  return to;
}

describe('imageTar', () => {
  it('is a docker-archive whose digests are right', () => {
    const root = unpack(imageTar(spec), 'image');
    const [manifest] = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
    expect(manifest.RepoTags).toEqual([spec.name]);
    const config = readFileSync(join(root, manifest.Config));
    expect(manifest.Config).toBe(`${createHash('sha256').update(config).digest('hex')}.json`);
    const layer = readFileSync(join(root, manifest.Layers[0]));
    const { rootfs, config: settings } = JSON.parse(config.toString());
    expect(rootfs.diff_ids).toEqual([`sha256:${createHash('sha256').update(layer).digest('hex')}`]);
    expect(settings.Entrypoint).toEqual(spec.entrypoint);
    expect(settings.Env[0]).toMatch(/^PATH=.*\/usr\/local\/bin/);
  });

  it('has the files with their folders and modes in its layer', () => {
    const root = unpack(imageTar(spec), 'outer');
    const [manifest] = JSON.parse(readFileSync(join(root, 'manifest.json'), 'utf8'));
    const layer = unpack(readFileSync(join(root, manifest.Layers[0])), 'layer');
    const file = join(layer, 'usr/local/bin/thing');
    expect(readFileSync(file, 'utf8')).toBe('#!/bin/true\n'.repeat(100));
    expect(statSync(file).mode & 0o7777).toBe(0o755);
    expect(statSync(join(layer, 'tmp')).mode & 0o7777).toBe(0o1777);
    expect(readFileSync(join(layer, 'etc/passwd'), 'utf8')).toMatch(/^root:/);
  });

  it('is the same bytes for the same content', () => {
    expect(imageTar(spec).equals(imageTar(spec))).toBe(true);
  });
});
