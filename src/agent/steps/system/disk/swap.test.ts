import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { StepContext } from '../../../engine/step.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import type { Shared } from '../../kind/shared.ts';
import { setUpSwap } from './swap.ts';

/** @param fails Programs that do, or are not there. */
async function made(fails: Record<string, number>, freeBytes = 2 ** 40) {
  const root = scratch();
  const ran: string[] = [];
  const host = createLinuxHost({ root });
  const run: Host['processes']['run'] = async ({ argv: [name] }) => {
    ran.push(name);
    const stderr = fails[name] ? `${name}: fallocate failed: Operation not supported\n` : '';
    return { exitStatus: fails[name] ?? 0, stdout: '', stderr, timedOut: false, ms: 1 };
  };
  const own = {
    ...host,
    files: { ...host.files, space: async () => ({ totalBytes: freeBytes, freeBytes }) },
    processes: { ...host.processes, run },
  };
  const context = { host: own, signal: new AbortController().signal } as unknown as StepContext;
  const result = await setUpSwap({ file: '/s', size: 2 ** 30 }, {} as Shared).run(context);
  return { result, ran, root };
}

it.each([
  ['where the file system knows no fallocate', { fallocate: 1 }],
  ['where there is no fallocate', { fallocate: 127 }],
])('fills the file with zeros %s, as cloud-init does', async (_what, fails) => {
  const { result, ran, root } = await made(fails);
  expect(result).toMatchObject({ done: true });
  expect(ran).toEqual(['sh', 'fallocate', 'dd', 'mkswap']);
  expect(readFileSync(join(root, 'etc/fstab'), 'utf8')).toBe('/s\tnone\tswap\tsw\t0\t0\n');
});

it('does not where it has room for nothing so large', async () => {
  const { result, ran } = await made({ fallocate: 1 }, 2 ** 20);
  expect(result).toMatchObject({
    done: false,
    failure: { cause: expect.stringContaining('fallocate failed') },
  });
  expect(ran).toEqual(['sh', 'fallocate']);
});
