import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { OUTCOME } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { bootstrap } from './bootstrap.ts';

/** Files so many names deep, below one directory. */
const files = (count: number, depth: number) =>
  `#cloud-config\nslipway: {kubeadm: none}\nwrite_files:\n${Array.from({ length: count }, (_, at) => `- {path: ${'/a'.repeat(depth)}/${at}, content: x}\n`).join('')}`;
const ignition = (count: number, depth: number) =>
  JSON.stringify({
    ignition: { version: '3.4.0' },
    storage: { files: Array.from({ length: count }, (_, at) => ({ path: `${'/a'.repeat(depth)}/${at}` })) },
  });
const native = (count: number, depth: number) =>
  `apiVersion: slipway.dev/v1alpha1\nkind: UserData\nfiles:\n${Array.from({ length: count }, (_, at) => `- {path: ${'/a'.repeat(depth)}/${at}, content: x}\n`).join('')}`;

describe('a bootstrap with user data that are long to read', () => {
  let root: string;
  beforeEach(() => {
    root = scratch();
  });

  const run = async (userData: string, deadlineSeconds: number) => {
    writeFileSync(join(root, 'user-data'), gzipSync(userData));
    const began = process.cpuUsage();
    const outcome = await bootstrap({
      host: createLinuxHost({ root }),
      agent: '0',
      userDataFile: join(root, 'user-data'),
      deadlineSeconds,
      stop: new AbortController().signal,
      watcher: { record: () => undefined, output: () => undefined },
      verdict: { fault: new Promise(() => undefined), unwritten: () => undefined },
    });
    const { user, system } = process.cpuUsage(began);
    return { outcome, cpuSeconds: (user + system) / 1e6 };
  };

  // A fifth of the attack: 12,000 paths of 2,000 names are 97 KB of gzip, and held a bootstrap for minutes.
  it('refuses paths that no machine has, and does not count their directories one by one', async () => {
    const { outcome, cpuSeconds } = await run(files(2400, 2000), 600);
    expect(outcome).toMatchObject({ result: 'bad-input', failure: { code: 'UserDataTooLarge' } });
    expect(outcome.failure?.cause).toContain('2001 components');
    expect(cpuSeconds).toBeLessThan(12);
  });

  it('refuses too many names in all', async () => {
    const { outcome } = await run(files(1100, 200), 600);
    expect(outcome).toMatchObject({ result: 'bad-input', failure: { code: 'UserDataTooLarge' } });
    expect(outcome.failure?.cause).toContain('200000 components in total');
  });

  it.each([
    ['cloud-config', files],
    ['Ignition', ignition],
    ["Slipway's own document", native],
  ])('ends at the deadline with a verdict while it reads: %s', async (_, make) => {
    const { outcome } = await run(make(6000, 400), 0.05);
    expect(outcome).toMatchObject({ result: 'transient', failure: { code: 'DeadlineExceeded' } });
    expect(JSON.parse(readFileSync(join(root, OUTCOME), 'utf8'))).toMatchObject({
      result: 'transient',
      exitStatus: 75,
      failure: { code: 'DeadlineExceeded', cause: expect.stringContaining('Reading the user data') },
    });
  });
});
