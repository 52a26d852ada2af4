import { describe, expect, it } from 'vitest';
import { createLinuxHost } from '../host/linux/host.ts';
import { readConfig } from '../kubeadm/config/config.ts';
import type { Check, Task } from './checks/check.ts';
import { preflightFinding } from './checks/check.ts';
import { runPreflight } from './run-checks.ts';

const host = createLinuxHost();
const swapOn: Check = {
  name: 'swap',
  run: async () => [preflightFinding('fatal', 'SwapEnabled', 'swap is on', { kubeadmCheck: 'Swap' })],
};
const task = (args: string[]): Task => ({
  config: readConfig({ verb: 'init', args }),
  attempted: false,
  mend: false,
});

describe('runPreflight', () => {
  it.each([
    [[], 'fatal'],
    [['--ignore-preflight-errors=Mem'], 'fatal'],
    [['--ignore-preflight-errors=Mem,swap'], 'warning'],
    [['--ignore-preflight-errors=all'], 'warning'],
    [['--skip-phases=preflight'], 'warning'],
  ])('ignores what kubeadm is told to ignore: %j', async (args, severity) => {
    const { findings } = await runPreflight(host, task(args), [swapOn]);
    expect(findings).toEqual([expect.objectContaining({ severity, code: 'SwapEnabled' })]);
  });

  it('goes on without a check that fails or hangs, and says so', async () => {
    const fails: Check = { name: 'one', run: () => Promise.reject(new Error('EIO')) };
    const hangs: Check = { name: 'two', run: () => new Promise(() => undefined) };
    let now = 0;
    // Whoever answers at all has answered by then.
    const sleep = async (ms: number) => {
      await new Promise((resolve) => setImmediate(resolve));
      now += ms;
    };
    const timed = { ...host, clock: { ...host.clock, monotonic: () => now, sleep } };
    const { findings, unanswered, ms } = await runPreflight(timed, task([]), [fails, hangs, swapOn]);
    expect(findings).toHaveLength(1);
    expect(unanswered.toSorted()).toEqual([
      'the check of one failed: EIO',
      'the check of two took longer than 2 s',
    ]);
    expect(ms).toBe(2_000);
  });
});
