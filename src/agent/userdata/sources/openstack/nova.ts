import type { PlatformInfo } from '../../../platform/platform-info.ts';

const NAMES = ['OpenStack Nova', 'OpenStack Compute'];
const ASSET_TAGS = [...NAMES, 'OpenTelekomCloud', 'SAP CCloud VM', 'HUAWEICLOUD', 'Samsung Cloud Platform'];

/** How DMI names OpenStack's compute service, as ds-identify has it; undefined if it does not. */
export function isNova({ dmi }: Pick<PlatformInfo, 'dmi'>): string | undefined {
  if (NAMES.includes(dmi('product_name'))) return `product_name is ${dmi('product_name')}`;
  const tag = dmi('chassis_asset_tag');
  return ASSET_TAGS.includes(tag) ? `chassis_asset_tag is ${tag}` : undefined;
}
