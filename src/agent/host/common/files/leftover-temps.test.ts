import { spawn } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { writeFilesAtomically } from '../../linux/files/atomic-file.ts';
import { tempFileIn } from './leftover-temps.ts';

describe('writeFilesAtomically where an agent was killed', () => {
  let directory: string;
  beforeEach(() => {
    directory = scratch();
  });

  it('removes what dead processes left, and what an earlier one of the same PID did; nothing else', async () => {
    const dead = spawn('true');
    await new Promise((resolve) => dead.on('exit', resolve));
    const living = spawn('sleep', ['60']);
    try {
      const kept = [`.slipway-${living.pid}-1.tmp`, '.slipway-x.tmp', 'file', `slipway-${dead.pid}-1.tmp`];
      for (const name of kept) writeFileSync(join(directory, name), '');
      writeFileSync(join(directory, `.slipway-${dead.pid}-1.tmp`), 'a secret');
      symlinkSync(join(directory, 'file'), join(directory, `.slipway-${dead.pid}-2.tmp`));
      for (let number = 1; number < 2000; number += 1)
        writeFileSync(join(directory, `.slipway-${process.pid}-${number}.tmp`), '');
      await writeFilesAtomically([
        { path: join(directory, 'written'), content: Buffer.from('x'), mode: 0o600 },
      ]);
      expect(readdirSync(directory).sort()).toEqual([...kept, 'written'].sort());
    } finally {
      living.kill('SIGKILL');
    }
  });

  it('tells nobody by a name what the next one is called', () => {
    // Whoever has seen a few of V8's numbers knows all that follow.
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const numbers = Array.from({ length: 20 }, () => Number(/-(\d+)\.tmp$/.exec(tempFileIn(directory))?.[1]));
    vi.restoreAllMocks();
    const steps = numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0));
    expect(Math.min(...steps.map(Math.abs))).toBeGreaterThan(1000);
    expect(new Set(steps).size).toBe(steps.length);
  });
});
