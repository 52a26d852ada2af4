import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { CommandResult } from '../../host/processes.ts';
import { prefetchProgramQuery, queryProgram } from './query-program.ts';

let folder: string;
let path: string;
let asked: number;
let host: Host;
/** What the next one that is asked answers with. */
let answer: () => Promise<Partial<CommandResult>>;

beforeEach(() => {
  folder = scratch();
  path = join(folder, 'kubeadm');
  writeFileSync(path, '\x7fELF, one', { mode: 0o755 });
  asked = 0;
  answer = async () => ({});
  const base = createLinuxHost();
  const run = async () => {
    asked += 1;
    const stdout = `v1.${asked}.0`;
    return { ...{ exitStatus: 0, stdout, stderr: '', timedOut: false, ms: 1 }, ...(await answer()) };
  };
  host = { ...base, processes: { ...base.processes, run } };
});

const ahead = () => prefetchProgramQuery(host, { argv: [path] });
const said = async () => (await queryProgram(host, { argv: [path] })).stdout;

describe('a program that was asked ahead', () => {
  it('is not asked again, also where two want to know at once', async () => {
    void ahead();
    expect(await Promise.all([said(), said()])).toEqual(['v1.1.0', 'v1.1.0']);
    expect(await said()).toBe('v1.1.0');
  });

  const other = () => writeFileSync(join(folder, 'other'), '\x7fELF, two', { mode: 0o755 });
  const byRename = () => {
    other();
    renameSync(join(folder, 'other'), path);
  };
  const REPLACED: [string, () => void][] = [
    ['another file of the same size in its place', byRename],
    ['other content in the same file', () => writeFileSync(path, '\x7fELF, two')],
    [
      'a link in its place',
      () => {
        mkdirSync(join(folder, 'new'));
        unlinkSync(path);
        writeFileSync(join(folder, 'new/kubeadm'), '\x7fELF, one', { mode: 0o755 });
        symlinkSync('new/kubeadm', path);
      },
    ],
    ['a script in its place', () => writeFileSync(path, '#!/bin/sh')],
  ];

  it.each(REPLACED)('is asked again with %s', async (_, replace) => {
    await ahead();
    replace();
    expect(await said()).toBe('v1.2.0');
  });

  it('is asked again where it was replaced while it answered, or while its answer was waited for', async () => {
    let begun = Promise.withResolvers<Partial<CommandResult>>();
    answer = () => begun.promise;
    void ahead();
    await expect.poll(() => asked).toBe(1);
    byRename();
    begun.resolve({});
    expect(await said()).toBe('v1.2.0');
    begun = Promise.withResolvers();
    rmSync(path);
    byRename();
    const waiting = Promise.all([said(), said()]);
    await expect.poll(() => asked).toBe(3);
    rmSync(path);
    byRename();
    begun.resolve({});
    expect(await waiting).toContain('v1.4.0');
  });

  it('is asked again where it failed', async () => {
    answer = async () => ({ exitStatus: asked === 1 ? 143 : 0 });
    await ahead();
    expect(await said()).toBe('v1.2.0');
  });
});

describe('what stays the same when the program behind it is replaced', () => {
  it.each([
    ['a script', () => writeFileSync(path, '#!/bin/sh\nexec /opt/kubeadm "$@"\n')],
    [
      'a program that goes by the name that it is called by',
      () => {
        renameSync(path, join(folder, 'snap'));
        symlinkSync('snap', path);
      },
    ],
    ['nothing', () => rmSync(path)],
  ])('is not asked ahead: %s', async (_, make) => {
    make();
    await ahead();
    expect(asked).toBe(0);
  });
});
