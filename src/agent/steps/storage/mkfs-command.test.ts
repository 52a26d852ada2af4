import { expect, it } from 'vitest';
import { createLinuxHost } from '../../host/linux/host.ts';
import { mkfsCommand } from './mkfs-command.ts';

it('fills the place into an author’s own command as Python would', async () => {
  const command = ['mkfs', '%(device)s', '%%(device)s', '5%%', '%%%(device)s', '50%'];
  const entry = { device: '/dev/a', filesystem: 'ext4', overwrite: false, options: [], command };
  expect(await mkfsCommand(createLinuxHost(), entry, '/dev/a1')).toEqual([
    ...['mkfs', '/dev/a1', '%(device)s', '5%', '%/dev/a1', '50%'],
  ]);
});
