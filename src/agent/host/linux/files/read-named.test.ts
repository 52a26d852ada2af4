import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createFiles } from './files.ts';
import { openNamed } from './open-named.ts';
import { readPipe } from './read-pipe.ts';

const files = createFiles('/');
let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = scratch();
  execFileSync('mkfifo', [at('pipe')]);
});

describe('what a person named and is no file', () => {
  it.each([
    ['folder', () => mkdirSync(at('folder')), 'EISDIR', 'is a directory'],
    ['link', () => symlinkSync('gone', at('link')), 'ENOENT', 'is a link to gone, where nothing can be read'],
    ['loop', () => symlinkSync('loop', at('loop')), 'ELOOP', 'too many symbolic links'],
    ['missing', () => undefined, 'ENOENT', 'no such file or directory'],
  ])('is told as that: %s', async (name, make, errno, what) => {
    make();
    await expect(files.read(at(name))).rejects.toMatchObject({
      errno,
      message: `reading ${at(name)}: ${what}`,
    });
  });

  it('is told as a socket', async () => {
    const server = createServer().listen(at('socket'));
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(files.read(at('socket'))).rejects.toThrow(/socket: is a socket$/);
    server.close();
  });

  it('is read as far as it may where it has no end', async () => {
    await expect(files.read('/dev/zero', 100_000)).rejects.toMatchObject({ errno: 'EFBIG' });
    expect(await files.read('/dev/null')).toHaveLength(0);
  });
});

describe('a pipe', () => {
  const limits = { writer: 60, silent: 120 };
  const read = (path: string, most = 1_000_000) => readPipe(openNamed(path, path).fd, most, path, limits);

  it('into which nobody writes is left after a while', async () => {
    await expect(read(at('pipe'))).rejects.toMatchObject({
      errno: 'ETIMEDOUT',
      message: `reading ${at('pipe')}: is a pipe, and nobody wrote into it within 0.06 s`,
    });
  });

  it('that somebody holds and says nothing into is left too', async () => {
    const reader = openNamed(at('pipe'), at('pipe')).fd;
    openSync(at('pipe'), 'w');
    await expect(readPipe(reader, 100, at('pipe'), limits)).rejects.toThrow(/said nothing for 0.12 s$/);
  });

  it('is read to its end, however slowly it comes', async () => {
    const script = 'printf one; sleep 0.3; head -c 200000 /dev/zero; printf two';
    spawn('sh', ['-c', `(${script}) >"$1"`, 'sh', at('pipe')]);
    const text = (await files.read(at('pipe'))).toString('latin1');
    expect(text).toHaveLength(200_006);
    expect(text).toMatch(/^one\0+two$/);
  });

  it('that gives more than is allowed is left', async () => {
    writeFileSync(at('much'), 'x'.repeat(3000));
    spawn('sh', ['-c', 'cat "$1" >"$2"', 'sh', at('much'), at('pipe')]);
    await expect(files.read(at('pipe'), 1000)).rejects.toMatchObject({ errno: 'EFBIG' });
  });
});
