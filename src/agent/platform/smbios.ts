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
export function readSmbios(raw: Uint8Array): Map<DmiField, string> {
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
