import { expect, it } from 'vitest';
import { createLinuxHost } from '../host/linux/host.ts';
import type { Cloud } from '../platform/instance/instance.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { exposure } from './exposure.ts';

const SECRET = 'runcmd: ["kubeadm join 192.0.2.1:6443 --token abcdef.fedcba9876543210"]';

async function told(userData: string, cloud: Partial<Cloud>): Promise<string[]> {
  const document = await readUserData(Buffer.from(`#cloud-config\n${userData}\n`), {
    source: 'file',
    metaData: {},
  });
  const given = { name: 'openstack', platform: 'openstack', addresses: [], publicKeys: [] };
  const subplatform = 'metadata (http://192.0.2.1:80)';
  return (await exposure(createLinuxHost(), document, { ...given, subplatform, ...cloud })).map(
    ({ code }) => code,
  );
}

it('tells where a web server goes on to give secrets to whoever reaches it', async () => {
  expect(await told(SECRET, {})).toEqual(['MetadataServesSecrets']);
});

it.each([
  ['there is no secret', 'runcmd: [ls]', {}],
  ['somebody says that pods are kept away', `slipway: {metadata: guarded}\n${SECRET}`, {}],
  ['they came on a disk', SECRET, { subplatform: 'config-disk (/dev/sr0)' }],
])('says nothing where %s', async (_, userData, cloud) => {
  expect(await told(userData, cloud)).toEqual([]);
});
