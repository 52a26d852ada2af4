import type { PlatformInfo } from './platform-info.ts';

/**
 * Which cloud with EC2's metadata service this is, by cloud-init's names; undefined where it shows none. The rules are
 * ds-identify's.
 */
export async function ec2Platform(machine: PlatformInfo): Promise<string | undefined> {
  return (await detectEc2(machine))?.platform;
}

export async function detectEc2({
  dmi,
  firstLine,
  host,
}: PlatformInfo): Promise<{ platform: string; how: string } | undefined> {
  const serial = dmi('product_serial');
  if (serial.endsWith('.brightbox.com')) return { platform: 'brightbox', how: `product_serial is ${serial}` };
  const tag = dmi('chassis_asset_tag');
  if (tag.endsWith('.zstack.io')) return { platform: 'zstack', how: `chassis_asset_tag is ${tag}` };
  const vendor = dmi('sys_vendor');
  if (vendor === 'e24cloud' || vendor === 'Tilaa')
    return { platform: vendor.toLowerCase(), how: `sys_vendor is ${vendor}` };
  if (vendor === '3DS Outscale' && dmi('product_name') === '3DS Outscale VM')
    return { platform: 'outscale', how: 'product_name is 3DS Outscale VM' };
  if ((await firstLine('/sys/hypervisor/uuid')).startsWith('ec2'))
    return { platform: 'aws', how: '/sys/hypervisor/uuid begins with ec2' };
  // Windows tells no id without PowerShell.
  if (host.platform === 'windows' && vendor === 'Amazon EC2')
    return { platform: 'aws', how: `sys_vendor is ${vendor}` };
  // The second form has the first bytes in the other order: 45E12AEC for EC2AE145.
  const uuid = dmi('product_uuid').split('-')[0] ?? '';
  return /^ec2|2[0-9a-f]ec$/i.test(uuid)
    ? { platform: 'aws', how: `product_uuid begins with ${uuid}` }
    : undefined;
}
