import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../../../test/support/manual-clock.ts';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { MountEntry } from '../../../document/document.ts';
import type { StepContext } from '../../../engine/step.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import type { Shared } from '../../kind/shared.ts';
import { mountFilesystems } from './mounts.ts';

const NOT_THERE = { exitStatus: 2, stdout: '', stderr: '', timedOut: false, ms: 1 };

describe('a mount whose device is not there', () => {
  let root: string;
  beforeEach(() => {
    root = scratch();
  });

  /** A machine without systemd that booted so many seconds ago; its programs find nothing. */
  const young = (seconds: number): Host => {
    const real = createLinuxHost({ root });
    const run: Host['processes']['run'] = async ({ argv }) => ({
      ...NOT_THERE,
      exitStatus: argv[0] === 'mountpoint' ? 1 : NOT_THERE.exitStatus,
    });
    const clock = new ManualClock(seconds * 1000);
    return { ...real, root: '/', clock, processes: { ...real.processes, run } };
  };
  const mount = async (host: Host, options: string) => {
    const fields: MountEntry['fields'] = ['LABEL=late', '/srv/late', 'auto', options, '0', '2'];
    const told: string[] = [];
    const context: StepContext = {
      ...{ host, attempt: 1, interrupted: false, signal: new AbortController().signal },
      remainingMs: () => 60_000,
      progress: async () => undefined,
      finding: async ({ message }) => void told.push(message),
      output: () => undefined,
    };
    const step = mountFilesystems({ entries: [{ fields }] }, {} as Shared);
    return { result: await step.run(context), told };
  };

  const DEFAULT = 'defaults,nofail,_netdev';
  it.each([
    ['is waited for while disks may still come, where nofail is only the default', 30, DEFAULT, false],
    ['is left out when the boot is over', 300, DEFAULT, true],
    ['is left out at once where the user data says nofail', 30, 'defaults,nofail', true],
  ])('%s', async (_, seconds, options, isDone) => {
    const { result, told } = await mount(young(seconds), options);
    expect(result.done).toBe(isDone);
    expect(told).toEqual(isDone ? [expect.stringContaining('there is no such device (nofail)')] : []);
    if (result.done) return;
    expect(result).toMatchObject({
      failure: {
        code: 'MountDeviceMissing',
        cause: expect.stringMatching(/LABEL=late.* yet: .*booted \d+ s/),
      },
      retry: 'yes',
    });
  });
});
