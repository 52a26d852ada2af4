const BLOCK = 512;

/** A file, or a directory where the path ends with "/". */
export interface TarEntry {
  /** Relative, and made so: nothing in it leads up or to the root of who unpacks it. Longer than 255 bytes it is cut. */
  path: string;
  /** Permissions; default: for root alone. */
  mode?: number;
  content?: Uint8Array | undefined;
}

/** An archive in POSIX's ustar format; all belongs to root. `seconds` since 1970 is the time of all. */
export function tar(entries: readonly TarEntry[], seconds: number): Buffer {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const content = entry.content ?? new Uint8Array();
    parts.push(header(entry, content.length, seconds), content, Buffer.alloc(-content.length & (BLOCK - 1)));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

function header({ path, mode }: TarEntry, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const isDirectory = path.endsWith('/');
  const { name, prefix } = split(path);
  const octal = (value: number, offset: number, digits: number): void => {
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, offset, 'latin1');
  };
  block.write(name, 0);
  octal(mode ?? (isDirectory ? 0o700 : 0o600), 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.max(0, Math.floor(seconds)), 136, 11);
  block.write('        ', 148, 'latin1');
  block.write(isDirectory ? '5' : '0', 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write('root', 265, 'latin1');
  block.write('root', 297, 'latin1');
  block.write(prefix, 345);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** A name has 100 bytes, and a prefix of directories 155 more. */
function split(path: string): { name: string; prefix: string } {
  const plain = inside(path);
  if (plain.length <= 100) return { name: plain, prefix: '' };
  const slash = plain.slice(0, 156).lastIndexOf('/');
  const cut = slash > 0 && plain.length - slash - 1 <= 100 ? slash : -1;
  return cut < 0
    ? { name: inside(plain.slice(-100)), prefix: '' }
    : { name: plain.slice(cut + 1), prefix: plain.slice(0, cut) };
}

/** Without `..`, `.`, and slashes at the beginning. */
function inside(path: string): string {
  const names = path
    .replace(/[^\x20-\x7e]/g, '_')
    .split('/')
    .filter((name, at, all) => name !== '.' && (name !== '' || at === all.length - 1));
  return names.map((name) => (name === '..' ? '__' : name)).join('/');
}
