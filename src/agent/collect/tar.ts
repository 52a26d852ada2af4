const BLOCK = 512;
const MODE = 0o600;

export interface TarEntry {
  /** Relative; longer than 255 bytes it is cut. */
  path: string;
  content: Uint8Array;
}

/** An archive in POSIX's ustar format, of plain files that belong to root. `seconds` since 1970 is their time. */
export function tar(entries: readonly TarEntry[], seconds: number): Buffer {
  const parts: Uint8Array[] = [];
  for (const { path, content } of entries) {
    parts.push(header(path, content.length, seconds), content, Buffer.alloc(-content.length & (BLOCK - 1)));
  }
  parts.push(Buffer.alloc(2 * BLOCK));
  return Buffer.concat(parts);
}

function header(path: string, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { name, prefix } = split(path);
  const octal = (value: number, offset: number, digits: number): void => {
    block.write(`${value.toString(8).padStart(digits, '0')}\0`, offset, 'latin1');
  };
  block.write(name, 0);
  octal(MODE, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(Math.max(0, Math.floor(seconds)), 136, 11);
  block.write('        ', 148, 'latin1');
  block.write('0', 156, 'latin1');
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
  const plain = path.replace(/[^\x20-\x7e]/g, '_');
  if (plain.length <= 100) return { name: plain, prefix: '' };
  const slash = plain.slice(0, 156).lastIndexOf('/');
  const cut = slash > 0 && plain.length - slash - 1 <= 100 ? slash : -1;
  return cut < 0
    ? { name: plain.slice(-100), prefix: '' }
    : { name: plain.slice(cut + 1), prefix: plain.slice(0, cut) };
}
