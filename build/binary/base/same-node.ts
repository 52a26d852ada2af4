import { dynamicLines } from './dynamic.ts';
import { HEADER, sectionsOf } from './elf.ts';

/** What postject turns on in a program that has a blob; Node.js looks there first (lib/internal/main). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';

/**
 * Sections that postject (by LIEF) writes anew where it adds a segment, in an order of its own. They are compared by what they say; see
 * `dynamicLines`. The hash tables only find the symbols again.
 */
const WRITTEN_ANEW = [
  ...['.gnu.hash', '.hash', '.dynsym', '.dynstr', '.dynamic'],
  ...['.gnu.version', '.gnu.version_r', '.rela.dyn', '.rela.plt'],
];
const BLOB_TYPE = 7;

/**
 * Holds the Node.js within a program against that of upstream. The program may have lost what is not loaded (symbols, debug
 * sections); it may have one note more, the blob; the byte of the fuse that says so; nothing else.
 *
 * @returns what differs otherwise, one sentence each; nothing where it is upstream's
 * @throws Error where one of them is no ELF file
 */
export function differencesFromUpstream(upstream: Buffer, program: Buffer): string[] {
  const own = sectionsOf(program).filter(({ loaded }) => loaded);
  const theirs = sectionsOf(upstream).filter(({ loaded }) => loaded);
  const fuse = upstream.indexOf(`${FUSE}0`) + FUSE.length;
  const changed = theirs.flatMap((section) => {
    const found = own.find(({ name }) => name === section.name);
    if (found === undefined) return [`${section.name} is missing`];
    if (WRITTEN_ANEW.includes(section.name)) return [];
    if (section.type !== BLOB_TYPE && found.address !== section.address)
      return [`${section.name} lies elsewhere`];
    const [before, after] = [contentOf(upstream, section), Buffer.from(contentOf(program, found))];
    if (fuse > section.offset && fuse < section.end)
      after[fuse - section.offset] = before[fuse - section.offset] ?? 0;
    return before.equals(after) ? [] : [`${section.name} has other bytes`];
  });
  const added = own.filter(({ name }) => !theirs.some((one) => one.name === name));
  const strange = added.filter(({ type }, index) => type !== BLOB_TYPE || index > 0);
  const entry = HEADER.entry;
  const starts = upstream.readBigUInt64LE(entry) === program.readBigUInt64LE(entry);
  const linked = dynamicLines(upstream, theirs).join('\n') === dynamicLines(program, own).join('\n');
  return [
    ...changed,
    ...strange.map(({ name }) => `${name} was added`),
    ...(starts ? [] : ['it starts elsewhere']),
    ...(linked ? [] : ['symbols, relocations or libraries are others']),
  ];
}

function contentOf(file: Buffer, { offset, end }: { offset: number; end: number }): Buffer {
  return file.subarray(offset, end);
}
