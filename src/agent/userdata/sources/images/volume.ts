import { HostError } from '../../../host/host.ts';
import { MAX_RAW_BYTES } from '../../../text/limits.ts';

/** A device or an image, read at offsets; fewer bytes than asked for at its end. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>;

/** A file system that is read without the kernel's help. */
export interface Volume {
  type: 'iso9660' | 'udf' | 'vfat';
  /** Every label that it bears; file systems have several places for one. */
  labels: readonly string[];
  root: Entry;
}

/** A file or a directory. */
export interface Entry {
  /** Absent for a file. @throws HostError EIO for damage, EFBIG beyond the bounds */
  children?(): Promise<Map<string, Entry>>;
  /** Absent for a directory. @throws HostError EIO for damage, EFBIG beyond the bounds */
  content?(): Promise<Buffer>;
}

/** What one directory may cost: bytes of its records, and entries. Seeds have a handful. */
export const MAX_DIRECTORY_BYTES = 1024 * 1024;
export const MAX_ENTRIES = 4096;

/** Something on the volume is not as its format wants it, or uses what this reader does not know. */
export function damaged(what: string): HostError {
  return new HostError(`the volume is damaged or not supported: ${what}`, 'EIO');
}

/** @throws HostError if the volume ends before */
export async function readExactly(read: ReadAt, offset: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(offset) || offset < 0 || length < 0) throw damaged('an offset');
  const bytes = await read(offset, length);
  if (bytes.length < length)
    throw damaged(`it ends at ${offset + bytes.length}, but ${length} bytes are needed there`);
  return bytes;
}

/** @throws HostError EFBIG */
export function checkSize(bytes: number): void {
  if (bytes > MAX_RAW_BYTES)
    throw new HostError(`a file has ${bytes} bytes, more than the ${MAX_RAW_BYTES} allowed`, 'EFBIG');
}

/** Names are compared as they are, then without case, as the kernel does for most of these file systems. */
export async function entryAt(root: Entry, path: string): Promise<Entry | undefined> {
  let here: Entry | undefined = root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const children: Map<string, Entry> | undefined = await here?.children?.();
    if (children === undefined) return undefined;
    const folded = name.toLowerCase();
    here = children.get(name) ?? [...children].find(([each]) => each.toLowerCase() === folded)?.[1];
  }
  return here;
}
