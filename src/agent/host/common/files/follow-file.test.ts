import { appendFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { followFile } from './follow-file.ts';

const MIB = 1024 * 1024;

describe('followFile', () => {
  let directory: string;
  let path: string;
  let lines: string[];

  beforeEach(() => {
    directory = scratch();
    path = join(directory, 'stdout');
    writeFileSync(path, '');
    lines = [];
  });

  const follow = () => followFile(path, (line) => lines.push(line));

  it('delivers whole lines as they come, and the rest at the end', async () => {
    const follower = follow();
    appendFileSync(path, 'one\ntw');
    follower.catchUp();
    expect(lines).toEqual(['one']);
    appendFileSync(path, 'o\nthree');
    expect(await follower.finish()).toBe('one\ntwo\nthree');
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('passes over a flood, tells how much, and delivers its end', async () => {
    const follower = follow();
    appendFileSync(path, 'first\n');
    follower.catchUp();
    appendFileSync(path, `${'x'.repeat(1023)}\n`.repeat(40 * 1024));
    appendFileSync(path, 'last\n');
    const kept = await follower.finish();
    expect(lines[0]).toBe('first');
    expect(lines[1]).toBe('... 40 MiB of output not shown ...');
    expect(lines.at(-1)).toBe('last');
    expect(lines.length).toBeLessThan(1100);
    expect(kept.length).toBeLessThanOrEqual(MIB);
  });

  it('gives the memory of what it has read back, and loses nothing that is printed in turns', async () => {
    const follower = follow();
    for (let turn = 0; turn < 20; turn += 1) {
      appendFileSync(path, `${'y'.repeat(MIB - 100)}\nturn ${turn}\n`);
      follower.catchUp();
    }
    expect(statSync(path).size).toBeLessThan(5 * MIB);
    await follower.finish();
    expect(lines.filter((line) => line.startsWith('turn'))).toHaveLength(20);
  });
});
