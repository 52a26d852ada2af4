import { type Section, textAt } from './elf.ts';

/** ELF-64, System V ABI, chapters 4 and 5, and the LSB's symbol versions. */
const SYMBOL = { bytes: 24, name: 0, info: 4, other: 5, section: 6, value: 8, size: 16 };
const RELOCATION = { bytes: 24, offset: 0, info: 8, addend: 16 };
const NEEDED_VERSIONS = { file: 4, first: 8, next: 12 };
const VERSION = { index: 6, name: 8, next: 12 };
const ENTRY = { bytes: 16, tag: 0, value: 8 };

/** The index of a version without the bit that hides it. */
const VERSION_INDEX = 0x7fff;
/** Entries of the dynamic section whose value is a text: DT_NEEDED, DT_SONAME, DT_RPATH, DT_RUNPATH. */
const TEXTS = [1n, 14n, 15n, 29n];
/** DT_STRSZ: how long the table of texts is. */
const TEXTS_SIZE = 10n;

/**
 * What a program says to the dynamic linker: its entries, symbols with their versions, and relocations, one line each, sorted. Two
 * programs with the same lines are linked alike, however their tables are laid out.
 */
export function dynamicLines(content: Buffer, sections: readonly Section[]): string[] {
  const bytes = (name: string): Buffer => {
    const section = sections.find((one) => one.name === name);
    return content.subarray(section?.offset ?? 0, section?.end ?? 0);
  };
  const texts = bytes('.dynstr');
  const versions = versionNames(bytes('.gnu.version_r'), texts);
  const versionOf = bytes('.gnu.version');
  const symbols = records(bytes('.dynsym'), SYMBOL.bytes).map((symbol, index) => {
    const version = versionOf.readUInt16LE(index * 2) & VERSION_INDEX;
    const name = textAt(texts, symbol.readUInt32LE(SYMBOL.name));
    return `${name}@${versions.get(version) ?? version}`;
  });
  return [
    ...records(bytes('.dynsym'), SYMBOL.bytes).map((symbol, index) => {
      const isDefined = symbol.readUInt16LE(SYMBOL.section) !== 0;
      const [info, other] = [symbol.readUInt8(SYMBOL.info), symbol.readUInt8(SYMBOL.other)];
      const [value, size] = [symbol.readBigUInt64LE(SYMBOL.value), symbol.readBigUInt64LE(SYMBOL.size)];
      return `symbol ${symbols[index]} ${isDefined} ${info} ${other} ${value} ${size}`;
    }),
    ...['.rela.dyn', '.rela.plt'].flatMap((name) =>
      records(bytes(name), RELOCATION.bytes).map((relocation) => {
        const info = relocation.readBigUInt64LE(RELOCATION.info);
        const symbol = symbols[Number(info >> 32n)];
        const [offset, addend] = [
          relocation.readBigUInt64LE(0),
          relocation.readBigInt64LE(RELOCATION.addend),
        ];
        return `relocation ${name} ${offset} ${info & 0xffffffffn} ${symbol} ${addend}`;
      }),
    ),
    ...dynamicEntries(bytes('.dynamic'), texts),
  ].sort();
}

function dynamicEntries(table: Buffer, texts: Buffer): string[] {
  const entries = records(table, ENTRY.bytes).map((entry) => ({
    tag: entry.readBigUInt64LE(ENTRY.tag),
    value: entry.readBigUInt64LE(ENTRY.value),
  }));
  return entries
    .slice(
      0,
      entries.findIndex(({ tag }) => tag === 0n),
    )
    .filter(({ tag }) => tag !== TEXTS_SIZE)
    .map(({ tag, value }) => `entry ${tag} ${TEXTS.includes(tag) ? textAt(texts, Number(value)) : value}`);
}

/** Versions of other libraries' symbols, by the index that stands for them: `GLIBC_2.28 of libc.so.6`. */
function versionNames(needed: Buffer, texts: Buffer): Map<number, string> {
  const names = new Map<number, string>();
  for (let at = 0, next = 1; next > 0 && at < needed.length; at += next) {
    const file = textAt(texts, needed.readUInt32LE(at + NEEDED_VERSIONS.file));
    let version = at + needed.readUInt32LE(at + NEEDED_VERSIONS.first);
    for (let step = 1; step > 0; version += step) {
      const name = textAt(texts, needed.readUInt32LE(version + VERSION.name));
      names.set(needed.readUInt16LE(version + VERSION.index), `${name} of ${file}`);
      step = needed.readUInt32LE(version + VERSION.next);
    }
    next = needed.readUInt32LE(at + NEEDED_VERSIONS.next);
  }
  return names;
}

function records(table: Buffer, bytes: number): Buffer[] {
  return Array.from({ length: Math.floor(table.length / bytes) }, (_, index) =>
    table.subarray(index * bytes, (index + 1) * bytes),
  );
}
