import { MalformedError } from '../wire/reader.ts';
import { readVariable } from './event-log.ts';
import { LittleEndianReader } from './little-endian-reader.ts';

/** Types of events (TCG PC Client Platform Firmware Profile, 10.4.1, table 27), as it names them. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'EV_POST_CODE'],
  [4, 'EV_SEPARATOR'],
  [5, 'EV_ACTION'],
  [6, 'EV_EVENT_TAG'],
  [7, 'EV_S_CRTM_CONTENTS'],
  [8, 'EV_S_CRTM_VERSION'],
  [9, 'EV_CPU_MICROCODE'],
  [10, 'EV_PLATFORM_CONFIG_FLAGS'],
  [11, 'EV_TABLE_OF_DEVICES'],
  [12, 'EV_COMPACT_HASH'],
  [13, 'EV_IPL'],
  [18, 'EV_OMIT_BOOT_DEVICE_EVENTS'],
  [0x80000001, 'EV_EFI_VARIABLE_DRIVER_CONFIG'],
  [0x80000002, 'EV_EFI_VARIABLE_BOOT'],
  [0x80000003, 'EV_EFI_BOOT_SERVICES_APPLICATION'],
  [0x80000004, 'EV_EFI_BOOT_SERVICES_DRIVER'],
  [0x80000005, 'EV_EFI_RUNTIME_SERVICES_DRIVER'],
  [0x80000006, 'EV_EFI_GPT_EVENT'],
  [0x80000007, 'EV_EFI_ACTION'],
  [0x80000008, 'EV_EFI_PLATFORM_FIRMWARE_BLOB'],
  [0x80000009, 'EV_EFI_HANDOFF_TABLES'],
  [0x8000000a, 'EV_EFI_PLATFORM_FIRMWARE_BLOB2'],
  [0x8000000b, 'EV_EFI_HANDOFF_TABLES2'],
  [0x8000000c, 'EV_EFI_VARIABLE_BOOT2'],
  [0x800000e0, 'EV_EFI_VARIABLE_AUTHORITY'],
]);

export function eventTypeName(type: number): string {
  return TYPES.get(type) ?? `event 0x${type.toString(16)}`;
}

/** A file's path is the last node of a device path that says anything (UEFI 2.10, 10.3.5.4). */
const MEDIA_PATH = 4;
const FILE_PATH = 4;

/** What an event's data say to people, such as a file's path or a variable's name; empty where nothing. It is not proved. */
export function eventHint(type: number, data: Uint8Array): string {
  try {
    return trimmed(hint(type, data));
  } catch (error) {
    if (error instanceof MalformedError) return '';
    throw error;
  }
}

function hint(type: number, data: Uint8Array): string {
  switch (eventTypeName(type)) {
    case 'EV_EFI_BOOT_SERVICES_APPLICATION':
    case 'EV_EFI_BOOT_SERVICES_DRIVER':
    case 'EV_EFI_RUNTIME_SERVICES_DRIVER':
      return filePath(data);
    case 'EV_EFI_VARIABLE_DRIVER_CONFIG':
    case 'EV_EFI_VARIABLE_BOOT':
    case 'EV_EFI_VARIABLE_BOOT2':
    case 'EV_EFI_VARIABLE_AUTHORITY':
      return readVariable(data)?.name ?? '';
    case 'EV_ACTION':
    case 'EV_EFI_ACTION':
    case 'EV_IPL':
    case 'EV_S_CRTM_VERSION':
      return textOf(data);
    default:
      return '';
  }
}

/** UEFI_IMAGE_LOAD_EVENT: where it lies, how long it is, where it was linked, and its device path. */
function filePath(data: Uint8Array): string {
  const from = new LittleEndianReader(data, 'an event of an image');
  from.take(24);
  const length = from.u64();
  const path = new LittleEndianReader(from.take(Number(length)), 'a device path');
  let name = '';
  while (path.left >= 4) {
    const [type = 0, kind = 0] = path.take(2);
    const node = path.take(Math.max(0, path.u16() - 4));
    if (type === MEDIA_PATH && kind === FILE_PATH) name += node.toString('utf16le');
  }
  return name;
}

/** Boot loaders write UTF-8 or, as the firmware does, UTF-16. */
function textOf(data: Uint8Array): string {
  const isWide = data.length > 1 && data[1] === 0;
  return Buffer.from(data).toString(isWide ? 'utf16le' : 'utf8');
}

function trimmed(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}
