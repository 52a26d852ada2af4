import { type Host, HostError } from '../host/host.ts';
import { BIOS, readKey, SMBIOS } from '../host/windows-registry.ts';
import { type DmiField, readSmbios } from './smbios.ts';

export type { DmiField } from './smbios.ts';

const DMI = '/sys/class/dmi/id';
const MAX_BYTES = 64 * 1024;

/** What a machine shows of where it runs, without the network. Everything is read once. */
export interface PlatformInfo {
  readonly host: Host;
  /** Empty where the machine does not say. */
  dmi(field: DmiField): string;
  /** The words of the kernel command line; in a container those of its first process. */
  readonly kernelLine: readonly string[];
  readonly isContainer: boolean;
  /** Is there something at this path? */
  has(path: string): Promise<boolean>;
  /** The first line of a file, or an empty text. */
  firstLine(path: string): Promise<string>;
}

const FIELDS: readonly DmiField[] = [
  'sys_vendor',
  'product_name',
  'product_serial',
  'product_uuid',
  'chassis_asset_tag',
  'board_serial',
];

export async function readPlatformInfo(host: Host): Promise<PlatformInfo> {
  const firstLine = async (path: string) => (await text(host, path)).split('\n')[0]?.trim() ?? '';
  const values = new Map<DmiField, string>();
  if (host.platform === 'windows') await readFirmware(host, values);
  else for (const field of FIELDS) values.set(field, await firstLine(`${DMI}/${field}`));
  const isContainer = await inContainer(host);
  const line = isContainer
    ? (await text(host, '/proc/1/cmdline')).replaceAll('\0', ' ')
    : await text(host, '/proc/cmdline');
  return {
    host,
    dmi: (field) => values.get(field) ?? '',
    kernelLine: line.split(/\s+/).filter((word) => word !== ''),
    isContainer,
    has: async (path) => (await host.files.stat(path).catch(absent)) !== undefined,
    firstLine,
  };
}

/** What Windows keeps of DMI: the whole table, from which its service has taken the names. */
async function readFirmware(host: Host, values: Map<DmiField, string>): Promise<void> {
  const table = (await readKey(host, SMBIOS)).get('smbiosdata');
  if (table !== undefined && /^(?:[0-9a-f]{2})+$/i.test(table))
    for (const [field, text] of readSmbios(Buffer.from(table, 'hex'))) values.set(field, text);
  const said = await readKey(host, BIOS);
  values.set('sys_vendor', said.get('systemmanufacturer') ?? values.get('sys_vendor') ?? '');
  values.set('product_name', said.get('systemproductname') ?? values.get('product_name') ?? '');
}

/** As `systemd-detect-virt --container` does: systemd says so itself, else its first process was told. */
async function inContainer(host: Host): Promise<boolean> {
  if ((await text(host, '/run/systemd/container')).trim() !== '') return true;
  return /(?:^|\0)container=./.test(await text(host, '/proc/1/environ'));
}

/** The text of a small file, or nothing where it is missing or unreadable. */
async function text(host: Host, path: string): Promise<string> {
  const bytes = await host.files.readIfPresent(path, MAX_BYTES).catch(absent);
  return bytes?.toString('latin1') ?? '';
}

/** A serial number that only root may read, or a directory on the way that is none, says nothing. */
function absent(error: unknown): undefined {
  if (error instanceof HostError) return undefined;
  throw error;
}
