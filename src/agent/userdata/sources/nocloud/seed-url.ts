import { basesOf, MetadataClient } from '../../../platform/metadata/metadata-client.ts';
import { SourceError } from '../../../platform/metadata/source-error.ts';
import type { DmiField, PlatformInfo } from '../../../platform/platform-info.ts';
import { readSeed, type Seed } from './seed.ts';

/** Names that cloud-init allows in `__dmi.NAME__` (dmidecode's) and that DMI files have here. */
const DMI_NAMES: Readonly<Record<string, DmiField | 'board_name' | 'board_asset_tag' | 'chassis_serial'>> = {
  'baseboard-asset-tag': 'board_asset_tag',
  'baseboard-product-name': 'board_name',
  'baseboard-serial-number': 'board_serial',
  'chassis-asset-tag': 'chassis_asset_tag',
  'chassis-serial-number': 'chassis_serial',
  'system-manufacturer': 'sys_vendor',
  'system-product-name': 'product_name',
  'system-serial-number': 'product_serial',
  'system-uuid': 'product_uuid',
};

/** How servers say that there is no such file: stores of objects answer 403 to whoever may not list them. */
const NONE = [401, 403, 404, 405, 410];

/** The address with `__dmi.system-uuid__` and the like replaced (cloud-init's `sub_dmi_vars`). */
export async function fillDmi(machine: PlatformInfo, address: string): Promise<string> {
  let filled = address;
  for (const [whole, name = ''] of address.matchAll(/__dmi\.([^_]+)__/g)) {
    const field = DMI_NAMES[name];
    if (field === undefined) continue;
    filled = filled.replaceAll(whole, await machine.firstLine(`/sys/class/dmi/id/${field}`));
  }
  return filled;
}

/**
 * Reads a seed from a web server that the kernel command line, DMI or a file names. `%s` in the address stands for the name of
 * the file; without it the name is added. Redirects are followed, never from https to http.
 *
 * @throws SourceError where the server gives no user data or metadata
 */
export async function fetchSeed(machine: PlatformInfo, address: string, patienceMs: number): Promise<Seed> {
  const { origin } = new URL(address);
  const client = new MetadataClient(machine.host, {
    bases: basesOf(''),
    patienceMs,
    redirects: 'any',
    called: `the NoCloud seed at ${origin}`,
  });
  try {
    const seed = await readSeed(`${origin}/...`, (name, isOptional = false) =>
      client.bytes(addressOf(address, name), isOptional ? { absent: NONE } : {}),
    );
    if (seed !== undefined) return seed;
    throw new SourceError(
      'refused',
      `The NoCloud seed at ${origin} has no user-data or no meta-data (status 404); a seed has both, and either may be empty.`,
    );
  } finally {
    client.close();
  }
}

function addressOf(address: string, name: string): string {
  if (address.includes('%s')) return address.replaceAll('%s', name);
  const slash = address.endsWith('/') || new URL(address).search !== '' ? '' : '/';
  return `${address}${slash}${name}`;
}
