/** One member of a tar archive; directories have no data. */
export interface TarEntry {
  path: string;
  data?: Uint8Array;
  mode?: number;
}

const BLOCK = 512;

/**
 * A POSIX ustar archive with owner root and time 0, so that the same content is always the same bytes.
 * Directories end with "/". Paths beyond 100 bytes and files of 8 GiB or more are refused.
 */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const data = entry.data ?? new Uint8Array();
    parts.push(header(entry, data.length), data, Buffer.alloc(padding(data.length)));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function header(entry: TarEntry, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const directory = entry.path.endsWith('/');
  const put = (text: string, at: number, room: number): void => {
    if (Buffer.byteLength(text) > room) throw new RangeError(`too long for a tar header: ${text}`);
    block.write(text, at);
  };
  const octal = (value: number, at: number, room: number) =>
    put(value.toString(8).padStart(room - 1, '0'), at, room - 1);
  put(entry.path, 0, 100);
  octal(entry.mode ?? (directory ? 0o755 : 0o644), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  put(directory ? '5' : '0', 156, 1);
  put('ustar\u000000', 257, 8);
  // The checksum counts itself as eight spaces (POSIX pax, "ustar Interchange Format").
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 8);
  return block;
}
