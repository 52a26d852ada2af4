/**
 * V8 reads a code cache where it lies if its address is a multiple of this. Otherwise it copies the whole cache first, and the
 * kernel has to find a page for each 4 KiB of the copy, at every start.
 */
const ALIGNMENT = 8;

/**
 * A cache with `ALIGNMENT` bytes around it, so that no other asset moves when it does. The first one says how many stand
 * before it, 1 to 8.
 */
export function surrounded(cache: Uint8Array, before: number): Buffer {
  return Buffer.concat([Buffer.alloc(before, before), cache, Buffer.alloc(ALIGNMENT - before)]);
}

/** The cache within what `surrounded` has made, where it lies. */
export function within(asset: ArrayBuffer): Buffer {
  const before = new Uint8Array(asset, 0, 1)[0] ?? 0;
  return Buffer.from(asset, before, asset.byteLength - ALIGNMENT);
}

/**
 * How many bytes must stand before a cache so that it begins at a multiple.
 *
 * @param before how many stand before it in `file`
 * @throws Error where it is not in there
 */
export function bytesBefore(file: Buffer, cache: Buffer, before: number): number {
  const place = file.indexOf(cache);
  if (place < 0) throw new Error('a code cache is not in the file that was made to hold it');
  return ALIGNMENT - ((place - before) % ALIGNMENT);
}
