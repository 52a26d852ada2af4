import { expect, it } from 'vitest';
import { readUserData } from '../../userdata/read-user-data.ts';
import { plan } from '../plan.ts';

const CLOUD_CONFIG = `#cloud-config
disk_setup:
  /dev/sdb: {table_type: gpt, layout: [[40, 82], 60], overwrite: true}
  /dev/sdc: {layout: true}
fs_setup:
- {device: /dev/sdb, partition: auto, filesystem: ext4, label: data, extra_opts: [-m, '0']}
- {device: /dev/sdc.1, filesystem: xfs, replace_fs: ntfs}
`;
const IGNITION = JSON.stringify({
  ignition: { version: '3.3.0' },
  storage: {
    disks: [{ device: '/dev/sdb', wipeTable: true, partitions: [{ number: 1, label: 'a', sizeMiB: 10 }] }],
    filesystems: [
      {
        ...{ device: '/dev/sdb1', format: 'ext4', label: 'a', path: '/var/a', options: ['-m', '0'] },
        ...{ wipeFilesystem: true, uuid: '6f2b6a3e-5a56-4b0e-9d0f-0a7f1d0a4c11' },
      },
    ],
  },
});

/** As the releases have it that made machines of first use: a step that is done must not count as another one. */
it.each([
  [CLOUD_CONFIG, ['disks disks a4cfca84b5c895e4', 'filesystems filesystems 6d36a4de736a1dec']],
  [IGNITION, ['disks partitionings d426e190ca13303f', 'filesystems volumes f2ec55f355b3c8e5']],
])('keeps the digests of disks and file systems: %s', async (text, digests) => {
  const document = await readUserData(Buffer.from(text), { source: 'file', metaData: {} });
  const steps = plan(document).filter(({ id }) => /^(?:disks|filesystems)$/.test(id));
  expect(steps.map(({ id, kind, digest }) => `${id} ${kind} ${digest.slice(0, 16)}`)).toEqual(digests);
});
