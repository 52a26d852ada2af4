import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { watchFile } from './watch-file.ts';

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
      const watch = watchFile(path, () => {
        calls += 1;
        watch.close();
        resolve();
      });
    });
    appendFileSync(path, 'end 0 0\n');
    await changed;
    appendFileSync(path, 'end 1 0\n');
    await delay(50);
    expect(calls).toBe(1);
  });

  it('refuses what is not there', () => {
    expect(() => watchFile(join(folder, 'nothing'), () => undefined)).toThrow('ENOENT');
  });
});
