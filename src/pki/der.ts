/**
 * DER, the encoding of certificates and certificate requests (X.690): writes and reads only what those need.
 * A value is its complete bytes: tag, length, content.
 */

/** Tags of the types that certificates are made of. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
} as const;

/** Encodes a value with any tag. */
export function tagged(tag: number, ...contents: readonly Uint8Array[]): Uint8Array {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  return Buffer.concat([Uint8Array.of(tag), lengthOctets(length), ...contents]);
}

function lengthOctets(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Uint8Array.of(0x80 | octets.length, ...octets);
}

export function sequence(...items: readonly Uint8Array[]): Uint8Array {
  return tagged(TAG.sequence, ...items);
}

/** A set of one item; a larger set would have to be sorted. */
export function setOf(item: Uint8Array): Uint8Array {
  return tagged(TAG.set, item);
}

/** A non-negative integer, given as a small number or as big-endian bytes. */
export function integer(value: number | Uint8Array): Uint8Array {
  let bytes = typeof value === 'number' ? Uint8Array.of(value) : value;
  while (bytes.length > 1 && bytes[0] === 0) bytes = bytes.subarray(1);
  // The highest bit is the sign.
  return (bytes[0] ?? 0) >= 0x80 ? tagged(TAG.integer, Uint8Array.of(0), bytes) : tagged(TAG.integer, bytes);
}

export function boolean(value: boolean): Uint8Array {
  return tagged(TAG.boolean, Uint8Array.of(value ? 0xff : 0));
}

/** An object identifier in dotted form, such as `2.5.29.15`. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const octets = [first * 40 + second, ...rest].flatMap((arc) => {
    const septets = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      septets.unshift((left % 128) | 0x80);
    return septets;
  });
  return tagged(TAG.oid, Uint8Array.from(octets));
}

export function utf8(text: string): Uint8Array {
  return tagged(TAG.utf8String, Buffer.from(text, 'utf8'));
}

export function octetString(content: Uint8Array): Uint8Array {
  return tagged(TAG.octetString, content);
}

/** A bit string of whole bytes; its last `unused` bits do not count. */
export function bitString(content: Uint8Array, unused = 0): Uint8Array {
  return tagged(TAG.bitString, Uint8Array.of(unused), content);
}

/** A time in seconds, in the form that RFC 5280 (4.1.2.5) requires for its date. */
export function time(date: Date): Uint8Array {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? tagged(TAG.utcTime, Buffer.from(digits.slice(2)))
    : tagged(TAG.generalizedTime, Buffer.from(digits));
}

/** An object identifier in dotted form. @throws Error if the value is none */
export function oidText(value: DerValue | undefined): string {
  if (value?.tag !== TAG.oid) throw new Error('an object identifier is missing');
  const arcs: bigint[] = [];
  let arc = 0n;
  for (const octet of value.content) {
    arc = (arc << 7n) | BigInt(octet & 0x7f);
    if (octet < 0x80) {
      arcs.push(arc);
      arc = 0n;
    }
  }
  const [first = 0n, ...rest] = arcs;
  const top = first < 80n ? first / 40n : 2n;
  return [top, first - top * 40n, ...rest].join('.');
}

/** A value that `readDer` found. */
export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content: the bytes that a signature covers. */
  readonly bytes: Uint8Array;
}

/** @throws Error if the bytes are not DER or hold more than one value */
export function readDer(bytes: Uint8Array): DerValue {
  const value = readFirst(bytes);
  if (value.bytes.length !== bytes.length) throw new Error('there are bytes after the value');
  return value;
}

/** The values in a sequence, or in another value made of some. @throws Error if `value` is none or is damaged */
export function itemsOf(value: DerValue | undefined, tag: number = TAG.sequence): DerValue[] {
  if (value?.tag !== tag) throw new Error('a sequence of values is missing');
  const items: DerValue[] = [];
  for (let rest = value.content; rest.length > 0; ) {
    const item = readFirst(rest);
    items.push(item);
    rest = rest.subarray(item.bytes.length);
  }
  return items;
}

function readFirst(bytes: Uint8Array): DerValue {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new Error('not a DER value');
  const octets = first < 0x80 ? 0 : first & 0x7f;
  if (first === 0x80 || octets > 4) throw new Error('not a DER length');
  let length = octets === 0 ? first : 0;
  for (const octet of bytes.subarray(2, 2 + octets)) length = length * 256 + octet;
  const start = 2 + octets;
  // DER permits only the shortest form of a length.
  if (octets > 0 && length < (octets === 1 ? 0x80 : 256 ** (octets - 1))) throw new Error('not a DER length');
  if (bytes.length < start + length) throw new Error('the value is cut off');
  return { tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(0, start + length) };
}
