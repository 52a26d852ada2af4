import { execFileSync } from 'node:child_process';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { needProgram } from '../../../../test/lab/host/need-program.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { Shared } from '../kind/shared.ts';
import { makeFilesystems } from './make-filesystems.ts';
import { partitionDisks } from './partition-disks.ts';

describe('what wipe: true gives up, after another document has made it', () => {
  let directory: string;
  let device: string;
  let host: Host;
  beforeEach(() => {
    directory = scratch();
    device = join(directory, 'disk');
    writeFileSync(device, '');
    truncateSync(device, 64 * 1024 * 1024);
    const found = { path: device, kind: 'disk', bytes: 64 * 1024 * 1024, sectorBytes: 512 } as const;
    const find = async () => ({ ...found, partitions: [1, 2].map((number) => ({ number, path: device })) });
    host = { ...createLinuxHost(), blockDevices: { ...createLinuxHost().blockDevices, find } };
  });

  const context = (more: Partial<StepContext>): StepContext => ({
    ...{ host, attempt: 1, interrupted: false, signal: new AbortController().signal },
    ...{ remainingMs: () => 60_000, progress: async () => undefined, finding: async () => undefined },
    output: () => undefined,
    ...more,
  });
  const format = async (more: Partial<StepContext>, label = 'data'): Promise<StepResult> =>
    makeFilesystems(
      { entries: [{ device, filesystem: 'ext4', label, options: [], overwrite: true, isStrict: true }] },
      {} as Shared,
    ).run(context(more));
  const partition = async (more: Partial<StepContext>, ...numbers: number[]): Promise<StepResult> => {
    const partitions = numbers.map((number) => ({
      ...{ number, label: `p${number}`, sizeMiB: 8, startMiB: 8 * number },
      ...{ exists: true, wipe: false, resize: false },
    }));
    return partitionDisks({ entries: [{ device, overwrite: true, partitions }] }, {} as Shared).run(
      context(more),
    );
  };
  const id = (): string =>
    execFileSync('blkid', ['--probe', '--output', 'export', device], { encoding: 'utf8' });

  it('is a file system, and stays where it is as asked', async () => {
    expect(await format({})).toMatchObject({ done: true });
    const made = id();
    expect(await format({ doneOtherwise: true })).toMatchObject({ done: true });
    expect(id()).toBe(made);
    expect(await format({ doneOtherwise: true }, 'other')).toMatchObject({ done: true });
    expect(id()).toContain('LABEL=other');
    const other = id();
    expect(await format({}, 'other')).toMatchObject({ done: true });
    expect(id()).not.toBe(other);
  });

  it('is a file system of fs_setup, and stays where it is as asked', async () => {
    const entry = {
      device,
      filesystem: 'ext4',
      label: 'data',
      partition: 'none',
      overwrite: true,
      options: [],
    };
    const run = (more: Partial<StepContext>) =>
      makeFilesystems({ entries: [entry] }, {} as Shared).run(context(more));
    expect(await run({})).toMatchObject({ done: true });
    const made = id();
    expect(await run({ doneOtherwise: true })).toMatchObject({ done: true });
    expect(id()).toBe(made);
    expect(await run({})).toMatchObject({ done: true });
    expect(id()).not.toBe(made);
  });

  it('is made by a command of its own, once, and only over nothing', async () => {
    const whole = { path: device, kind: 'disk', bytes: 64 * 1024 * 1024, sectorBytes: 512 } as const;
    host.blockDevices.find = async () => ({ ...whole, partitions: [] });
    const made = join(directory, 'made');
    const line = (how: string) => ['/bin/sh', '-c', `echo >>${made} && ${how}`];
    const run = async (how: string, filesystem = 'ext4') => {
      const entry = { device, filesystem, label: 'own', partition: 'none', overwrite: false, options: [] };
      return makeFilesystems({ entries: [{ ...entry, command: line(how) }] }, {} as Shared).run(context({}));
    };
    expect(await run('true')).toMatchObject({
      failure: { code: 'FilesystemNotMade', cause: expect.stringContaining('blkid finds nothing') },
    });
    expect(await run('mkfs.ext4 -q -L own %(device)s')).toMatchObject({ done: true });
    expect(id()).toContain('LABEL=own');
    expect(await run('mkfs.ext4 -q -L own %(device)s')).toMatchObject({
      message: expect.stringContaining('has its'),
    });
    expect(await run('mkfs.xfs -f %(device)s', 'xfs')).toMatchObject({
      message: expect.stringContaining('left alone'),
    });
    expect(readFileSync(made, 'utf8')).toBe('\n\n');
  });

  it('stays where the program that would make it is not there', async () => {
    expect(await format({})).toMatchObject({ done: true });
    const made = id();
    host.processes.which = async () => undefined;
    expect(await format({ doneOtherwise: true })).toMatchObject({ done: true });
    expect(id()).toBe(made);
    expect(await format({ doneOtherwise: true }, 'other')).toMatchObject({
      failure: { code: 'ToolMissing' },
    });
  });

  it('is made again where the program that made it was cut off, even if it looks complete', async () => {
    expect(await format({})).toMatchObject({ done: true });
    const made = id();
    host.processes.findDurable = async () => 'vanished';
    expect(await format({ doneOtherwise: true })).toMatchObject({ done: true });
    expect(id()).not.toBe(made);
  });

  it('is kept whatever it is where only what is missing is made', async () => {
    const whole = { path: device, kind: 'disk', bytes: 64 * 1024 * 1024, sectorBytes: 512 } as const;
    host.blockDevices.find = async () => ({ ...whole, partitions: [] });
    const entry = { device, filesystem: 'ext4', partition: 'none', overwrite: true, options: [] };
    const run = () => makeFilesystems({ entries: [entry] }, {} as Shared).run(context({ isMissing: true }));
    expect(await run()).toMatchObject({ done: true, message: expect.stringContaining('ext4 made') });
    const made = id();
    expect(await run()).toMatchObject({ done: true, message: expect.stringContaining('has its') });
    expect(await format({ isMissing: true })).toMatchObject({ done: true });
    expect(id()).toBe(made);
    execFileSync('wipefs', ['--all', device]);
    expect(await format({ isMissing: true })).toMatchObject({ done: true });
    expect(id()).toContain('LABEL=data');
    const labelled = id();
    expect(await run()).toMatchObject({ done: true, message: expect.stringContaining('left alone') });
    expect(id()).toBe(labelled);
  });

  it.runIf(process.getuid?.() === 0)(
    'is a partition table, and stays where it is as asked (needs root for sfdisk)',
    async () => {
      needProgram('/usr/sbin/sfdisk', 'fdisk');
      expect(await partition({}, 1, 2)).toMatchObject({ done: true });
      const made = id();
      expect(await partition({ doneOtherwise: true }, 1, 2)).toMatchObject({ done: true });
      expect(id()).toBe(made);
      expect(await partition({ doneOtherwise: true }, 1)).toMatchObject({ done: true });
      expect(id()).not.toBe(made);
    },
  );
});
