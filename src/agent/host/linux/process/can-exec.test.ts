import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { canExec } from './can-exec.ts';

describe.runIf(process.platform === 'linux')('becoming another program', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
  });

  const put = (name: string, content: string | Buffer, mode = 0o755): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    chmodSync(path, mode);
    return path;
  };
  /** A real program of this machine with bytes of its file changed. */
  const damaged = (name: string, change: (elf: Buffer) => void): string => {
    const elf = readFileSync('/bin/true');
    change(elf);
    return put(name, elf);
  };
  /** A process of its own tries to become `path`; Node.js would end with SIGABRT where the kernel refuses. */
  const become = (path: string) => {
    const host = pathToFileURL(join(import.meta.dirname, '../host.ts'));
    const script = `
      import { createLinuxHost } from ${JSON.stringify(host)};
      try { await createLinuxHost().processes.replace([process.argv[1], 'word']); }
      catch (error) { console.log(error.name, error.message); process.exitCode = 9; }`;
    const words = ['--input-type=module', '-e', script, path];
    const { status, signal, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    return { status, signal, stdout };
  };

  it('is sure of programs and of scripts with a program as interpreter', () => {
    copyFileSync('/bin/true', join(folder, 'copy'));
    for (const path of [process.execPath, '/bin/sh', join(folder, 'copy'), put('script', '#! /bin/sh -e\n')])
      expect(canExec(path), path).toBe(true);
    expect(become(put('answer', '#!/bin/sh\necho "$0 $1" $$; exit 7\n'))).toMatchObject({
      status: 7,
      signal: null,
      stdout: expect.stringMatching(/answer word \d+\n$/),
    });
  });

  it.each<[string, () => string, string]>([
    ['nothing there', () => join(folder, 'missing'), 'no such file or directory'],
    ['a folder', () => mkdirSync(join(folder, 'folder'), { recursive: true }) ?? '', 'permission denied'],
    ['no execute bit', () => put('plain', '#!/bin/sh\n', 0o644), 'permission denied'],
    ['an interpreter that is not there', () => put('script', '#!/opt/none\n'), 'no such file or directory'],
    [
      'a program without its loader',
      () => damaged('unloaded', (elf) => elf.write('/xx', elf.indexOf('/lib'), 'latin1')),
      'no such file or directory',
    ],
  ])('says why it cannot start: %s', (_, make, why) => {
    const path = make();
    expect(canExec(path)).toBe(false);
    expect(become(path)).toEqual({ status: 9, signal: null, stdout: `HostError starting ${path}: ${why}\n` });
  });

  it('does not abort for a program of another processor, an empty file, or a script of a script', () => {
    const paths = [
      damaged('foreign', (elf) => elf.writeUInt16LE(0x28, 18)),
      put('empty', ''),
      put('torn', readFileSync('/bin/true').subarray(0, 20)),
      put('nested', `#!${put('script', '#!/bin/sh\nexit 3\n')}\n`),
    ];
    for (const path of paths) {
      expect(canExec(path), path).toBe(false);
      expect(become(path).signal, path).toBe(null);
    }
  });
});
