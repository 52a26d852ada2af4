import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { planCommand } from './plan.ts';

it('tells what the steps would find of accounts, at its place', async () => {
  const root = scratch();
  const userData = join(root, 'user-data');
  writeFileSync(
    userData,
    '#cloud-config\nslipway: {kubeadm: none}\nusers:\n- {name: ann, lock_passwd: false}\n',
  );
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const status = await planCommand({ userData, root, output: 'text' });
  const told = err.mock.calls.map(([text]) => String(text)).join('');
  vi.restoreAllMocks();
  expect({ status, told }).toEqual({
    status: 0,
    told: expect.stringMatching(/line 4, column 3: The user ann stays locked .*\[AccountSettingIgnored\]/),
  });
});

it.each([
  [false, 2],
  [true, 0],
])(
  'asks what the machine cannot take as a bootstrap does: not once it has begun (%s)',
  async (begun, expected) => {
    const root = scratch();
    const userData = join(root, 'user-data');
    mkdirSync(join(root, 'dir'));
    mkdirSync(join(root, 'var/lib/slipway'), { recursive: true });
    if (begun) writeFileSync(join(root, 'var/lib/slipway/journal.jsonl'), '{}\n');
    writeFileSync(userData, '#cloud-config\nslipway: {kubeadm: none}\nwrite_files: [{path: /dir}]\n');
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const status = await planCommand({ userData, root, output: 'text' });
    vi.restoreAllMocks();
    expect(status).toBe(expected);
  },
);
