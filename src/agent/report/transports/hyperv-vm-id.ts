import type { Host } from '../../host/host.ts';

const DMI = '/sys/class/dmi/id';
/** What every virtual machine of Azure has as its chassis' asset tag. */
const AZURE = '7783-7084-3265-9085-8269-3286-77';
const NONE = '00000000-0000-0000-0000-000000000000';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The id that the host has for this virtual machine; zeros where it cannot be read. As cloud-init finds it: Azure's first
 * generation (without EFI) has the first three fields in the other byte order, of which Linux knows nothing there.
 */
export async function hypervVmId(host: Host): Promise<string> {
  const read = async (name: string) =>
    (await host.files.readIfPresent(`${DMI}/${name}`, 4096))?.toString('utf8').trim() ?? '';
  const uuid = (await read('product_uuid')).toLowerCase();
  if (!UUID.test(uuid)) return NONE;
  const isAzure = (await read('chassis_asset_tag')) === AZURE;
  if (!isAzure || (await host.files.stat('/sys/firmware/efi'))) return uuid;
  const [first = '', second = '', third = '', ...others] = uuid.split('-');
  return [swap(first), swap(second), swap(third), ...others].join('-');
}

function swap(hex: string): string {
  return Buffer.from(hex, 'hex').reverse().toString('hex');
}
