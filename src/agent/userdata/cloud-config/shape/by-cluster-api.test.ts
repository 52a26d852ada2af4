import { expect, it } from 'vitest';
import { readUserData } from '../../read-user-data.ts';

/** As the kubeadm provider of Cluster API renders its templates: empty lists as bare keys, and numbers without quotes. */
it.each([
  ['no servers', 'ntp:\n  enabled: true\n  servers:'],
  [
    'file systems alone',
    'disk_setup:\nfs_setup:\n  - label: data\n    filesystem: ext4\n    device: /dev/vdb\n',
  ],
  ['partitions alone', 'disk_setup:\n  /dev/vdb:\n    table_type: gpt\n    layout: true\nfs_setup:\n'],
  ['mounts', 'mounts:\n  - - LABEL=data\n    - /data\n    - ext4\n    - defaults\n    - 0\n    - 2\n'],
])('has nothing to say of what Cluster API writes: %s', async (_what, text) => {
  const document = await readUserData(Buffer.from(`#cloud-config\n${text}\nruncmd: [a]\n`), {
    source: 'file',
    metaData: { 'local-hostname': 'node-1' },
  });
  expect(document.report).toEqual([]);
});
