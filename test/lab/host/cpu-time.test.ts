import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../support/tmp/scratch.ts';
import { type Hierarchy, hierarchies } from './cgroups.ts';
import { cpuSecondsOf } from './cpu-time.ts';

describe('the CPU time of a group', () => {
  let mountpoint: string;
  beforeEach(() => {
    mountpoint = scratch();
    mkdirSync(join(mountpoint, 'g'));
  });
  const hierarchy = (version: 1 | 2): Hierarchy => ({ mountpoint, name: '', version, options: '' });

  it('is told by either version of control groups in its own way, and is none where there is no group', () => {
    writeFileSync(join(mountpoint, 'g/cpuacct.usage'), '12500000000\n');
    writeFileSync(join(mountpoint, 'g/cpu.stat'), 'usage_usec 3250000\nuser_usec 1\nsystem_usec 2\n');
    expect(cpuSecondsOf('g', hierarchy(1))).toBe(12.5);
    expect(cpuSecondsOf('g', hierarchy(2))).toBe(3.25);
    expect(cpuSecondsOf('gone', hierarchy(1))).toBe(0);
  });

  it.runIf(process.getuid?.() === 0)(
    'holds what a process and its children did; the group goes again, and so does that of a case that was killed',
    async () => {
      const script = (last: string) => `import { execaSync } from 'execa';
import { countCpu } from ${JSON.stringify(join(import.meta.dirname, 'cpu-time.ts'))};
const end = await countCpu();
execaSync('sh', ['-c', 'i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done']);
${last}`;
      const runIt = (last: string) =>
        execa(process.execPath, ['--input-type=module', '--eval', script(last)], { reject: false });
      const killed = await runIt("console.log(process.pid); process.kill(process.pid, 'SIGKILL');");
      expect(killed.signal).toBe('SIGKILL');
      expect(killed.stdout).toMatch(/^\d+$/);
      const { stdout } = await runIt('console.log(process.pid, await end());');
      const [pid, seconds] = stdout.split(' ');
      expect(Number(seconds)).toBeGreaterThan(0);
      for (const gone of [killed.stdout, pid])
        for (const { mountpoint: top } of hierarchies())
          expect(existsSync(join(top, `slipway-case-${gone}`))).toBe(false);
    },
  );
});
