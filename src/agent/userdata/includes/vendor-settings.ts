import type { Diagnostics } from '../../text/diagnostics.ts';
import { Fields } from '../../text/yaml/fields.ts';
import { type MappingNode, valueAt } from '../../text/yaml/yaml-node.ts';

interface VendorSettings {
  isEnabled: boolean;
  /** Words before each of the vendor's scripts, which run it. */
  prefix: string[];
}

/** `vendor_data` of the user data, else of the image: it is on unless `enabled` says otherwise. */
export function vendorSettings(
  user: MappingNode | undefined,
  image: MappingNode | undefined,
  diagnostics: Diagnostics,
): VendorSettings {
  const node = valueAt(user, 'vendor_data') ?? valueAt(image, 'vendor_data');
  if (node === undefined) return { isEnabled: true, prefix: [] };
  // As with cloud-init, something that is no mapping switches it off.
  if (node.kind !== 'mapping') return { isEnabled: false, prefix: [] };
  const fields = new Fields(node, 'vendor_data', diagnostics);
  const settings = { isEnabled: fields.bool('enabled', true), prefix: fields.texts('prefix', true) };
  fields.finish({ disabled_handlers: 'is not supported' });
  return settings;
}
