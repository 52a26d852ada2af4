import { type Host, HostError } from '../host/host.ts';
import { BIOS, readKey, SMBIOS } from '../host/windows-registry.ts';

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

/** The fields of DMI that clouds write their names into. */
export type DmiField =
  | 'sys_vendor'
  | 'product_name'
  | 'product_serial'
  | 'product_uuid'
  | 'chassis_asset_tag'
  | 'board_serial';

const HEADER_BYTES = 8;
const LAST = 127;

/** What is a text of each type of structure, and behind which byte its number stands. */
const TEXTS: Readonly<Record<number, readonly (readonly [at: number, field: DmiField])[]>> = {
  1: [
    [4, 'sys_vendor'],
    [5, 'product_name'],
    [7, 'product_serial'],
  ],
  2: [[7, 'board_serial']],
  3: [[8, 'chassis_asset_tag']],
};

/**
 * The fields of DMI in the firmware's table as Windows keeps it: eight bytes of its own, then structures, each with its texts behind it.
 * Of a damaged table what could be read.
 */
function readSmbios(raw: Uint8Array): Map<DmiField, string> {
  const table = Buffer.from(raw).subarray(HEADER_BYTES);
  const found = new Map<DmiField, string>();
  for (let at = 0; at + 4 <= table.length; ) {
    const [type = LAST, length = 0] = table.subarray(at, at + 2);
    const end = table.indexOf('\0\0', at + length, 'latin1');
    if (type === LAST || length < 4 || end === -1) break;
    const structure = table.subarray(at, at + length);
    const texts = table
      .subarray(at + length, end)
      .toString('latin1')
      .split('\0');
    for (const [place, field] of TEXTS[type] ?? []) {
      const text = texts[(structure[place] ?? 0) - 1]?.trim();
      if (text && !found.has(field)) found.set(field, text);
    }
    if (type === 1 && length >= 24) found.set('product_uuid', uuid(structure.subarray(8, 24)));
    at = end + 2;
  }
  return found;
}

/** As Linux writes it: the first three numbers have their lowest bytes first. */
function uuid(bytes: Buffer): string {
  const [a, b, c] = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)].map((part) =>
    Buffer.from(part).reverse().toString('hex'),
  );
  return [a, b, c, bytes.subarray(8, 10).toString('hex'), bytes.subarray(10).toString('hex')].join('-');
}
