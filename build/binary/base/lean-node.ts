import { HEADER, type Section, sectionsOf } from './elf.ts';

/** What is changed in Node.js, by the names of its symbols; docs/decisions/packaging.md says what each costs and why nothing needs it. */
const SYMBOLS = {
  /**
   * V8's test of primes, of hash-seed.cc alone. At each start V8 draws three secrets for its hashes, by which nobody can know which
   * texts have the same one, and draws each anew until it is prime. The hashes need none that is: odd ones, of bytes with four
   * bits each, which differ from each other in 32 bits. That is looked at before, as ever, and chance draws them as ever.
   */
  isPrime: '_ZN6detailL4sprpEyy',
  /** What Abseil does about locks that could block each other: a search at each lock, and an abort, which its release builds have not. */
  onDeadlock: '_ZN4absl12_GLOBAL__N_124synch_deadlock_detectionE',
  /**
   * Abseil asks for the processor's clock rate when a lock of V8 is wanted by two threads for the first time, and measures it: it sleeps for 1 ms,
   * then 2, and so on, until two results differ by no more than 1 %. Mostly it is the main thread that sleeps.
   */
  clockRate: '_ZN4absl13base_internal19NominalCPUFrequencyEv',
} as const;

const SYMBOL_TABLE = 2;
/** ELF-64, System V ABI, chapter 4. */
const SYMBOL = { bytes: 24, name: 0, section: 6, value: 8, size: 16 };

/** The number of an x86-64 in the ELF header. Arm's processors tell their clock rate. */
const X64 = 62;
/** Nanoseconds of Abseil's first sleep, and those that are enough: what a look at both clocks is off by is a thousandth of it. */
const FIRST_SLEEP = 1_000_000;
const SHORTER_SLEEP = 50_000;

/** `return 1` in the code of each processor, by its number in the ELF header. */
const ALWAYS: Readonly<Record<number, Buffer>> = {
  // mov eax, 1; ret
  [X64]: Buffer.from('b801000000c3', 'hex'),
  // mov w0, #1; ret
  183: Buffer.from('20008052c0035fd6', 'hex'),
};

/** `absl::OnDeadlockCycle`. */
const ABORT = 2;
const IGNORE = 0;

/**
 * A Node.js without three things that cost a start 4 to 8 of 90 ms, and that nothing needs.
 *
 * @param node with its symbols, for Linux
 * @throws Error where this Node.js has not just these: what it does instead is to be looked at anew
 */
export function leanNode(node: Buffer): Buffer {
  const made = Buffer.from(node);
  const test = placeOf(node, SYMBOLS.isPrime);
  const always = ALWAYS[node.readUInt16LE(HEADER.machine)];
  if (always === undefined || test.size < always.length)
    throw new Error(`there is no shorter ${SYMBOLS.isPrime}`);
  always.copy(made, test.offset);
  const setting = placeOf(node, SYMBOLS.onDeadlock);
  if (setting.size !== 4 || node.readUInt32LE(setting.offset) !== ABORT)
    throw new Error(`${SYMBOLS.onDeadlock} is not what it was`);
  made.writeUInt32LE(IGNORE, setting.offset);
  if (node.readUInt16LE(HEADER.machine) === X64) made.writeUInt32LE(SHORTER_SLEEP, sleepIn(node));
  return made;
}

/** Where the code says how long the first sleep is. @throws Error where it does not say so once */
function sleepIn(node: Buffer): number {
  const { offset, size } = placeOf(node, SYMBOLS.clockRate);
  const code = node.subarray(offset, offset + size);
  const sleep = Buffer.alloc(4);
  sleep.writeUInt32LE(FIRST_SLEEP);
  const at = code.indexOf(sleep);
  if (at < 0 || at !== code.lastIndexOf(sleep))
    throw new Error(`${SYMBOLS.clockRate} does not sleep as it did`);
  return offset + at;
}

interface Place {
  /** In the file. */
  readonly offset: number;
  /** In bytes. */
  readonly size: number;
}

/** Where all of them lie, in a Node.js for x86-64. @throws Error as `leanNode` */
export function placesIn(node: Buffer): Record<keyof typeof SYMBOLS, Place> {
  return {
    isPrime: placeOf(node, SYMBOLS.isPrime),
    onDeadlock: placeOf(node, SYMBOLS.onDeadlock),
    clockRate: placeOf(node, SYMBOLS.clockRate),
  };
}

function placeOf(node: Buffer, symbol: string): Place {
  const sections = sectionsOf(node);
  const table = sections.find(({ type }) => type === SYMBOL_TABLE);
  const names = sections[table?.link ?? -1];
  if (table === undefined || names === undefined) throw new Error('this Node.js has no symbols');
  const name = node.subarray(names.offset, names.end).indexOf(`\0${symbol}\0`) + 1;
  const found: Place[] = [];
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
    throw new Error(`this Node.js has ${found.length} times ${symbol}`);
  return one;
}
