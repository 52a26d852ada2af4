import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { HEADER, SECTION, sectionsOf } from './elf.ts';

/**
 * Copies a Node.js binary without its symbol table and debug sections: 126.6 MB become 108.5 MB. Only before the
 * bundle is injected. All that is taken away lies behind the last byte that is loaded, so nothing moves; done here, any
 * platform's binary is stripped on any machine, to the same bytes, and nothing has to be installed.
 *
 * @throws Error where the file is no 64-bit little-endian ELF, or is laid out otherwise
 */
export function stripBinary(from: string, to: string): void {
  writeFileSync(to, stripped(readFileSync(from)));
  chmodSync(to, 0o755);
}

/** `content` without what is not loaded. @throws Error as `stripBinary` */
export function stripped(content: Buffer): Buffer {
  const sections = sectionsOf(content);
  const last = sections.findLastIndex(({ loaded }) => loaded);
  const end = Math.max(...sections.slice(0, last + 1).map(({ end }) => end));
  const names = sections[content.readUInt16LE(HEADER.namesIndex)];
  if (names === undefined || sections.slice(last + 1).some(({ offset }) => offset < end))
    throw new Error('its symbols do not lie behind all that is loaded');

  const namesHeader = Buffer.from(names.header);
  namesHeader.writeBigUInt64LE(BigInt(end), SECTION.offset);
  const tableAt = Math.ceil((end + names.end - names.offset) / 8) * 8;
  const kept = [...sections.slice(0, last + 1).map(({ header }) => header), namesHeader];
  const head = Buffer.from(content.subarray(0, end));
  head.writeBigUInt64LE(BigInt(tableAt), HEADER.sectionsAt);
  head.writeUInt16LE(kept.length, HEADER.sectionCount);
  head.writeUInt16LE(kept.length - 1, HEADER.namesIndex);
  const text = content.subarray(names.offset, names.end);
  return Buffer.concat([head, text, Buffer.alloc(tableAt - end - text.length), ...kept]);
}
