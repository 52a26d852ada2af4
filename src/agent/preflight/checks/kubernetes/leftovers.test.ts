import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readConfig } from '../../../kubeadm/config/config.ts';
import { leftovers } from './leftovers.ts';

it.each([
  ['is not empty, so it contains data of an earlier etcd', 'var/lib/etcd/member'],
  ['is not empty: it contains lost+found, like the mount point of a disk', 'var/lib/etcd/lost+found'],
  ['is a file, where etcd needs a directory', 'var/lib/etcd'],
])('says of the directory for the data of etcd that it %s', async (what, path) => {
  const root = scratch();
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), 'x');
  const config = readConfig({ verb: 'init', args: [] });
  const found = await leftovers.run(createLinuxHost({ root }), { config, attempted: false, mend: false });
  expect(found).toMatchObject([
    { severity: 'fatal', code: 'LeftoversFound', message: `/var/lib/etcd ${what}` },
  ]);
});
