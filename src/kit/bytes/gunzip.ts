import { gunzipSync } from 'node:zlib';

/** The decompressed bytes, or why there are none. */
type Gunzipped = { bytes: Buffer } | { problem: 'too-large' | 'damaged' };

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** Decompresses gzip to at most `most` bytes. */
export function gunzip(bytes: Uint8Array, most: number): Gunzipped {
  try {
    return { bytes: gunzipSync(bytes, { maxOutputLength: Math.max(most, 1) }) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return { problem: code === 'ERR_BUFFER_TOO_LARGE' ? 'too-large' : 'damaged' };
  }
}
