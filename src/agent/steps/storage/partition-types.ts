/** GPT types for the codes of user data: those of an MBR, or sgdisk's four digits for them. */
const LINUX = '0FC63DAF-8483-4772-8E79-3D69D8477DE4';
const BASIC_DATA = 'EBD0A0A2-B9E5-4433-87C0-68B6B72699C7';
const GPT_TYPES: Readonly<Record<string, string>> = {
  '0600': BASIC_DATA,
  '0700': BASIC_DATA,
  '0B00': BASIC_DATA,
  '0C00': BASIC_DATA,
  '0E00': BASIC_DATA,
  '8200': '0657FD6D-A4AB-43C4-84E5-0933C84B4F4F',
  '8300': LINUX,
  '8302': '933AC7E1-2EB4-4F13-B844-0E14E2AEF915',
  '8303': '44479540-F297-41B2-9AF7-D131D5F0458A',
  '8304': '4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709',
  '8309': 'CA7D7CCB-63ED-4C53-861C-1742536059CC',
  '8E00': 'E6D6D379-F507-44C2-A23C-238F2A3DF928',
  EF00: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B',
  EF02: '21686148-6449-6E6F-744E-656564454649',
  FD00: 'A19D880F-05FC-4D3B-A006-743F0F84911E',
};

/** A type in sfdisk's words for this kind of table; undefined for an unknown code. */
export function partitionType(table: 'mbr' | 'gpt', code: string | undefined): string | undefined {
  const upper = code?.toUpperCase();
  if (table === 'mbr') {
    if (upper === undefined) return '83';
    return /^[0-9A-F]{1,2}$/.test(upper) ? upper.replace(/^0(?=.)/, '').toLowerCase() : undefined;
  }
  if (upper === undefined) return LINUX;
  return upper.length === 36 ? upper : GPT_TYPES[upper.padStart(2, '0').padEnd(4, '0')];
}
