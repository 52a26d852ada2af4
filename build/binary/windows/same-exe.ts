/** Offsets in a Windows program (PE), from its PE header. */
const PE_AT = 0x3c;
const HEADER = { sections: 6, optionalSize: 20, optional: 24, entry: 24 + 16 };
const SECTION = { bytes: 40, address: 12, memory: 8, size: 16, offset: 20 };

/** Where programs keep their resources: Node.js an icon, and a single executable application its blob too. */
const RESOURCES = '.rsrc';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';

/**
 * Holds the Node.js within a Windows program against that of upstream: it may have other resources, where the blob lies, and the byte of
 * the fuse that says so. Its signature belongs to no section.
 *
 * @returns what differs otherwise, one sentence each; nothing where it is upstream's
 */
export function differencesFromUpstreamExe(upstream: Buffer, program: Buffer): string[] {
  const [theirs, own] = [sectionsOf(upstream), sectionsOf(program)];
  const fuse = upstream.indexOf(`${FUSE}0`) + FUSE.length;
  const changed = theirs.flatMap(({ name, address, offset, length }) => {
    const found = own.find((one) => one.name === name);
    if (found === undefined) return [`${name} is missing`];
    if (name === RESOURCES) return [];
    // The end of the resources' predecessor is filled up where they were before.
    if (name !== '.reloc' && found.address !== address) return [`${name} lies elsewhere`];
    const before = upstream.subarray(offset, offset + length);
    const after = Buffer.from(program.subarray(found.offset, found.offset + length));
    if (fuse > offset && fuse < offset + length) after[fuse - offset] = before[fuse - offset] ?? 0;
    return before.equals(after) ? [] : [`${name} has other bytes`];
  });
  const added = own.filter(({ name }) => !theirs.some((one) => one.name === name));
  return [
    ...changed,
    ...added.map(({ name }) => `${name} was added`),
    ...(entryOf(upstream) === entryOf(program) ? [] : ['it starts elsewhere']),
  ];
}

interface Section {
  readonly name: string;
  readonly address: number;
  readonly offset: number;
  /** What of it counts: neither the filling of the file nor the empty memory behind it. */
  readonly length: number;
}

function sectionsOf(file: Buffer): Section[] {
  const at = file.readUInt32LE(PE_AT);
  const first = at + HEADER.optional + file.readUInt16LE(at + HEADER.optionalSize);
  return Array.from({ length: file.readUInt16LE(at + HEADER.sections) }, (_, index) => {
    const header = file.subarray(first + index * SECTION.bytes, first + (index + 1) * SECTION.bytes);
    return {
      name: header.toString('latin1', 0, 8).replace(/\0+$/, ''),
      address: header.readUInt32LE(SECTION.address),
      offset: header.readUInt32LE(SECTION.offset),
      length: Math.min(header.readUInt32LE(SECTION.memory), header.readUInt32LE(SECTION.size)),
    };
  });
}

function entryOf(file: Buffer): number {
  return file.readUInt32LE(file.readUInt32LE(PE_AT) + HEADER.entry);
}
