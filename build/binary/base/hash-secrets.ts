import { HEADER, type Section, sectionsOf } from './elf.ts';

/** `detail::sprp` of V8's hash-seed.cc, by its name among the symbols. It calls a number prime, or not. */
const TEST = '_ZN6detailL4sprpEyy';
const SYMBOL_TABLE = 2;
/** ELF-64, System V ABI, chapter 4. */
const SYMBOL = { bytes: 24, name: 0, section: 6, value: 8, size: 16 };

/** `return 1` in the code of each processor, by its number in the ELF header. */
const ALWAYS: Readonly<Record<number, Buffer>> = {
  // mov eax, 1; ret
  62: Buffer.from('b801000000c3', 'hex'),
  // mov w0, #1; ret
  183: Buffer.from('20008052c0035fd6', 'hex'),
};

/**
 * A Node.js that takes the first secrets for its hashes that it draws. At each start V8 draws three, by which nobody can know
 * which texts have the same hash, and draws each anew until it is prime: 0.3 to 8 ms, 3 on average, a tenth of what an empty program takes
 * (docs/decisions/speed.md). Its hashes need none that is prime: odd ones, of bytes with four bits each, which differ from each other in 32 bits. That
 * is looked at before, as ever, and chance draws them as ever.
 *
 * @throws Error where this Node.js has no such function, or several: what V8 does then is to be looked at anew
 */
export function withFirstSecrets(node: Buffer): Buffer {
  const { offset, size } = functionIn(node);
  const always = ALWAYS[node.readUInt16LE(HEADER.machine)];
  if (always === undefined || size < always.length) throw new Error(`${TEST} cannot be made shorter here`);
  const made = Buffer.from(node);
  always.copy(made, offset);
  return made;
}

/** Where the function lies in the file, and how long it is. */
export function functionIn(node: Buffer): { offset: number; size: number } {
  const sections = sectionsOf(node);
  const table = sections.find(({ type }) => type === SYMBOL_TABLE);
  const names = sections[table?.link ?? -1];
  if (table === undefined || names === undefined) throw new Error('this Node.js has no symbols');
  const name = node.subarray(names.offset, names.end).indexOf(`\0${TEST}\0`) + 1;
  const found: { offset: number; size: number }[] = [];
  for (let at = table.offset; at < table.end && name > 0; at += SYMBOL.bytes) {
    if (node.readUInt32LE(at + SYMBOL.name) !== name) continue;
    const home = sections[node.readUInt16LE(at + SYMBOL.section)] as Section;
    const address = Number(node.readBigUInt64LE(at + SYMBOL.value));
    found.push({
      offset: home.offset + address - home.address,
      size: Number(node.readBigUInt64LE(at + SYMBOL.size)),
    });
  }
  const [one, ...others] = found;
  if (one === undefined || others.length > 0)
    throw new Error(`this Node.js has ${found.length} times ${TEST}`);
  return one;
}
