import { constants, zstdCompressSync } from 'node:zlib';

/** Size in bytes of `content` as `zstd -19` makes it: level 19, two threads, default window. */
export function zstdSize(content: Buffer): number {
  return zstdCompressSync(content, {
    pledgedSrcSize: content.length,
    params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_nbWorkers]: 2 },
  }).length;
}

/** Bytes as megabytes of a million, the unit of the size goals. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e6 ? 3 : 1)} MB`;
}
