import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realInRoot, resolveInRoot } from './resolve.ts';

describe('resolving below a root', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'slipway-resolve-')));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/slipway'), '');
    symlinkSync('/bin/slipway', join(folder, 'absolute'));
    symlinkSync('../../../bin/slipway', join(folder, 'upwards'));
    symlinkSync('bin/slipway', join(folder, 'relative'));
    symlinkSync('loop', join(folder, 'loop'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('takes links as if the root were /, and never leaves it', () => {
    for (const name of ['/absolute', '/upwards', '/relative', '/bin/../absolute']) {
      expect(resolveInRoot(folder, name)).toBe(join(folder, 'bin/slipway'));
      expect(realInRoot(folder, name)).toBe(join(folder, 'bin/slipway'));
    }
    expect(resolveInRoot(folder, '/absolute', false)).toBe(join(folder, 'absolute'));
    expect(resolveInRoot(folder, '/new/file')).toBe(join(folder, 'new/file'));
  });

  it('finds where a link leads at / too, so that a program knows itself behind one', () => {
    expect(realInRoot('/', join(folder, 'relative'))).toBe(join(folder, 'bin/slipway'));
    expect(realInRoot('/', join(folder, 'bin/slipway'))).toBe(join(folder, 'bin/slipway'));
  });

  it('refuses loops and paths that are not absolute', () => {
    expect(() => realInRoot('/', join(folder, 'loop'))).toThrow('too many symbolic links');
    expect(() => resolveInRoot(folder, '/loop')).toThrow('too many symbolic links');
    expect(() => resolveInRoot(folder, 'bin')).toThrow('is not absolute');
    expect(() => realInRoot('/', 'bin')).toThrow('is not absolute');
  });
});
