/**
 * Bytes for a TPM 2.0, which are big-endian (TPM 2.0 Library, Part 1, 1.6). A "sized buffer" (TPM2B_*) is its length in
 * two bytes and then its content.
 */

export function u8(value: number): Buffer {
  return Buffer.of(value);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function sized(...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([u16(bytes.length), bytes]);
}

export function bytesOf(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat(parts);
}

/** An empty sized buffer, for what a command leaves out. */
export const NOTHING: Uint8Array = u16(0);
