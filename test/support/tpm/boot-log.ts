/** One measurement, by SHA-256. */
export interface Measured {
  readonly pcr: number;
  /** Of the TCG PC Client Platform Firmware Profile, 10.4.1. */
  readonly type: number;
  readonly digest: Uint8Array;
  readonly data: string;
}

const SPEC_ID = 'Spec ID Event03\0';
const NO_ACTION = 3;
const SHA256 = 0x000b;

/** A firmware's log of its measurements (TCG PC Client Platform Firmware Profile, 10), as the kernel shows it. */
export function bootLog(events: readonly Measured[]): Buffer {
  const head = Buffer.concat([
    Buffer.from(SPEC_ID, 'latin1'),
    Buffer.from('0000000000020002', 'hex'),
    ...[u32(1), u16(SHA256), u16(32), Buffer.of(0)],
  ]);
  return Buffer.concat([
    ...[u32(0), u32(NO_ACTION), Buffer.alloc(20), u32(head.length), head],
    ...events.flatMap(({ pcr, type, digest, data }) => [
      ...[u32(pcr), u32(type), u32(1), u16(SHA256), Buffer.from(digest)],
      ...[u32(Buffer.byteLength(data)), Buffer.from(data)],
    ]),
  ]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
