import { describe, expect, it } from 'vitest';
import { interleave, median } from './interleave.ts';
import { measure } from './measure.ts';

describe('median', () => {
  it('is the value in the middle', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
  });
});

describe('interleave', () => {
  it('runs the contenders in turn and leaves the first round out', async () => {
    const order: string[] = [];
    const contender = (label: string, wallMs: number) => ({
      label,
      run: () => {
        order.push(label);
        return { wallMs: order.length <= 2 ? 1000 : wallMs, cpuMs: 2, peakMib: 3 };
      },
    });
    const standings = await interleave([contender('a', 10), contender('b', 20)], 2);
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
    expect(standings.map(({ wallMs }) => wallMs)).toEqual([10, 20]);
  });
});

describe.runIf(process.platform === 'linux')('measure', () => {
  it('takes time, CPU and memory of a command and of what it waited for from the kernel', () => {
    const sleep = measure(['sleep', '0.3']);
    expect(sleep.wallMs).toBeGreaterThan(299);
    expect(sleep.cpuMs).toBeLessThan(100);
    expect(sleep.peakMib).toBeLessThan(20);
    const script =
      'const end = process.cpuUsage(); while (process.cpuUsage(end).user < 3e5); Buffer.alloc(2e8, 1)';
    const busy = measure(['sh', '-c', '"$0" -e "$1"; true', process.execPath, script]);
    expect(busy.cpuMs).toBeGreaterThan(300);
    expect(busy.peakMib).toBeGreaterThan(190);
  });

  it('gives no figure for a failure', () => {
    expect(() => measure(['sh', '-c', 'echo why >&2; exit 3'])).toThrow('exit status 3: why');
    expect(() => measure(['sh', '-c', 'kill -9 $$'])).toThrow('signal 9');
    expect(() => measure(['/nonexistent'])).toThrow('No such file');
  });
});
