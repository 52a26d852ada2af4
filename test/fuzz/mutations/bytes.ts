import type { Random } from '../random.ts';

/** Changes bytes into others; never larger than `MAX_BYTES` by itself. */
export type Mutation = (bytes: Buffer, random: Random, other: Buffer) => Buffer;

function splice(bytes: Buffer, at: number, gone: number, put: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + gone)]);
}

/** A range of the bytes, mostly short. */
function range(bytes: Buffer, random: Random): [number, number] {
  const from = random.below(bytes.length + 1);
  return [from, Math.min(bytes.length, from + random.size(Math.max(1, bytes.length - from)))];
}

const ODD: readonly Uint8Array[] = [
  Uint8Array.of(0),
  Uint8Array.of(0xff),
  Uint8Array.of(0xc0, 0x80),
  Uint8Array.of(0xe2, 0x80),
  Uint8Array.of(0xed, 0xa0, 0x80),
  Uint8Array.of(0xf5, 0x80, 0x80, 0x80),
  ...[
    '\u{feff}',
    '\r\n',
    '\r',
    '\u{85}',
    '\u{2028}',
    '\u{202e}',
    '\t',
    '\u{1f600}',
    '\u{300}',
    '\x1b[2J',
  ].map((text) => Buffer.from(text)),
];

/** What a disk, a line and a stranger do to bytes whatever they mean. */
export const byteMutations: readonly Mutation[] = [
  function flipBit(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = random.below(copy.length);
    if (at < copy.length) copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8));
    return copy;
  },
  function setByte(bytes, random) {
    const copy = Buffer.from(bytes);
    const at = random.below(copy.length);
    if (at < copy.length) copy[at] = random.below(256);
    return copy;
  },
  function insertOdd(bytes, random) {
    return splice(bytes, random.below(bytes.length + 1), 0, random.pick(ODD));
  },
  function overwriteOdd(bytes, random) {
    const odd = random.pick(ODD);
    return splice(bytes, random.below(bytes.length + 1), odd.length, odd);
  },
  function remove(bytes, random) {
    const [from, to] = range(bytes, random);
    return splice(bytes, from, to - from, Uint8Array.of());
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length + 1));
  },
  function duplicate(bytes, random) {
    const [from, to] = range(bytes, random);
    return splice(bytes, to, 0, bytes.subarray(from, to));
  },
  function move(bytes, random) {
    const [from, to] = range(bytes, random);
    const rest = splice(bytes, from, to - from, Uint8Array.of());
    return splice(rest, random.below(rest.length + 1), 0, bytes.subarray(from, to));
  },
  function spliceOther(bytes, random, other) {
    const [from, to] = range(other, random);
    return splice(bytes, random.below(bytes.length + 1), 0, other.subarray(from, to));
  },
  function crossOver(bytes, random, other) {
    return Buffer.concat([
      bytes.subarray(0, random.below(bytes.length + 1)),
      other.subarray(random.below(other.length + 1)),
    ]);
  },
  function zeros(bytes, random) {
    // What a power loss leaves of a block that was not written.
    const [from, to] = range(bytes, random);
    return splice(bytes, from, to - from, Buffer.alloc(to - from));
  },
];
