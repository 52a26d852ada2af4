/** Castagnoli's polynomial, reflected. */
const POLYNOMIAL = 0x82f63b78;

/** CRC-32C (RFC 3720, appendix B.4). */
export function crc32c(bytes: Uint8Array): number {
  let rest = 0xffffffff;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? POLYNOMIAL : 0);
  }
  return (rest ^ 0xffffffff) >>> 0;
}
