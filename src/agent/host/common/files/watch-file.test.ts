import { appendFileSync, fstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { watchFile } from './watch-file.ts';

const opener = (path: string) => () => {
  const fd = openSync(path, 'r');
  return { fd, size: fstatSync(fd).size };
};

describe('watchFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
    writeFileSync(join(folder, 'marks'), '');
  });

  it('tells of what is appended until it is closed', async () => {
    const path = join(folder, 'marks');
    let calls = 0;
    const changed = new Promise<void>((resolve) => {
      const watch = watchFile(
        path,
        () => {
          calls += 1;
          watch.close();
          resolve();
        },
        opener(path),
      );
    });
    appendFileSync(path, 'end 0 0\n');
    await changed;
    appendFileSync(path, 'end 1 0\n');
    await delay(50);
    expect(calls).toBe(1);
  });

  it('reads all that the file holds, again and again, another one in its place too, and nothing where there is none', () => {
    const path = join(folder, 'marks');
    const watch = watchFile(path, () => undefined, opener(path));
    const now = () => watch.read().toString();
    try {
      expect(now()).toBe('');
      appendFileSync(path, 'wait 0\n');
      expect(now()).toBe('wait 0\n');
      appendFileSync(path, 'run 0\n');
      expect(now()).toBe('wait 0\nrun 0\n');
      expect(now()).toBe('wait 0\nrun 0\n');
      writeFileSync(join(folder, 'other'), 'end 0 0\n');
      renameSync(join(folder, 'other'), path);
      expect(now()).toBe('end 0 0\n');
      rmSync(path);
      expect(now()).toBe('');
      writeFileSync(path, 'wait 1\n');
      expect(now()).toBe('wait 1\n');
    } finally {
      watch.close();
    }
  });

  it('refuses what is not there', () => {
    const path = join(folder, 'nothing');
    expect(() => watchFile(path, () => undefined, opener(path))).toThrow('ENOENT');
  });
});
