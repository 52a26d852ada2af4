import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { JOURNAL, OUTCOME, SENTINEL } from '../../document/paths.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { kindOfReset, recordReset } from './shim-reset.ts';

it.each([
  [['--force'], 'at once'],
  [['-f', '--cert-dir=/a'], 'at once'],
  [['--force=true', '--v=5'], 'at once'],
  [['--force=false'], 'when it was asked'],
  [[], 'when it was asked'],
  [['--help'], 'nothing'],
  [['-f', '--dry-run'], 'nothing'],
  [['phase', 'preflight', '--force'], 'nothing'],
] as const)('knows what kubeadm reset %j does to the node', (args, kind) => {
  expect(kindOfReset(args)).toBe(kind);
});

it('takes the sentinel and the verdict back, and notes it', async () => {
  const root = scratch();
  for (const path of [SENTINEL, OUTCOME, JOURNAL]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path === SENTINEL ? 'success\n' : '');
  }
  await recordReset(createLinuxHost({ root }));
  expect([SENTINEL, OUTCOME].map((path) => existsSync(join(root, path)))).toEqual([false, false]);
  expect(readFileSync(join(root, JOURNAL), 'utf8')).toContain('"node.reset"');
});
