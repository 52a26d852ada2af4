import { expect, test } from 'vitest';
import { readOpenStack } from './read-openstack.ts';

const META = { 'meta_data.json': { uuid: 'u-1' } };

async function vendorDataOf(files: Record<string, unknown>): Promise<string | undefined> {
  const all: Record<string, unknown> = { ...META, ...files };
  const data = await readOpenStack({
    place: '/dev/sr0',
    list: async () => ['latest'],
    read: async (path) => {
      const content = all[path.split('/').at(-1) ?? ''];
      return content === undefined ? undefined : Buffer.from(JSON.stringify(content));
    },
  });
  return data?.vendorData?.toString();
}

test('vendor data are fixed ones, and those that a service of the cloud makes', async () => {
  const [fixed, made] = ['#cloud-config\nlocale: a\n', '#cloud-config\nlocale: b\n'];
  expect(await vendorDataOf({})).toBeUndefined();
  expect(await vendorDataOf({ 'vendor_data.json': fixed })).toBe(fixed);
  expect(await vendorDataOf({ 'vendor_data2.json': { 'cloud-init': made, static: {} } })).toBe(made);
  expect(await vendorDataOf({ 'vendor_data.json': fixed, 'vendor_data2.json': { 'cloud-init': made } })).toBe(
    `#cloud-config-archive\n${JSON.stringify([fixed, made])}`,
  );
});
