const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_WORDS = 6;

/**
 * The bytes of a Bech32 text (BIP 173) with this prefix, without the limit of 90 characters, as age writes its keys.
 *
 * @returns undefined where it is none, has another prefix, or a letter was mistyped
 */
export function fromBech32(text: string, prefix: string): Buffer | undefined {
  if (text !== text.toLowerCase() && text !== text.toUpperCase()) return undefined;
  const lower = text.toLowerCase();
  const split = lower.lastIndexOf('1');
  if (lower.slice(0, split) !== prefix) return undefined;
  const words = [...lower.slice(split + 1)].map((letter) => ALPHABET.indexOf(letter));
  if (words.includes(-1) || words.length < CHECKSUM_WORDS) return undefined;
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  if (checksum([...expanded, ...words]) !== 1) return undefined;
  return bytesOf(words.slice(0, -CHECKSUM_WORDS));
}

function checksum(words: readonly number[]): number {
  let sum = 1;
  for (const word of words) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ word;
    GENERATOR.forEach((generator, bit) => {
      if ((top >>> bit) & 1) sum ^= generator;
    });
  }
  return sum;
}

/** Words of five bits as bytes; what is left over must be less than a word, and zero. */
function bytesOf(words: readonly number[]): Buffer | undefined {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const word of words) {
    held = ((held << 5) | word) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  const rest = held & ((1 << bits) - 1);
  return bits < 5 && rest === 0 ? Buffer.from(bytes) : undefined;
}
