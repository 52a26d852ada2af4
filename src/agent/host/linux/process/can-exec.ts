import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';

/** Enough for the headers of every program of today, and for a `#!` line. */
const HEAD_BYTES = 4096;
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);
const PT_INTERP = 3;

/**
 * Tells whether the kernel will surely start this file in place of the running process. If it does not,
 * Node.js aborts the process. So a doubtful file is not for `process.execve`: one for another processor
 * (which binfmt_misc may emulate), or a script whose interpreter is a script.
 */
export function canExec(path: string): boolean {
  const head = headOf(path);
  if (!head) return false;
  const interpreter = scriptInterpreter(head);
  const program = interpreter === undefined ? head : headOf(interpreter);
  if (!program?.subarray(0, 4).equals(ELF) || !isOfThisProcessor(program)) return false;
  const loader = elfLoader(program);
  return loader === undefined || headOf(loader) !== undefined;
}

/** The beginning of an executable file; undefined for any other file. */
function headOf(path: string): Buffer | undefined {
  try {
    accessSync(path, constants.X_OK);
    if (!statSync(path).isFile()) return undefined;
    const fd = openSync(path, 'r');
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    // Missing, forbidden or unreadable: an ordinary start says which.
    return undefined;
  }
}

function scriptInterpreter(head: Buffer): string | undefined {
  return /^#![ \t]*(\S+)/.exec(head.subarray(0, 256).toString('latin1'))?.[1];
}

/** Compares word size, byte order and machine with the running program's. */
function isOfThisProcessor(head: Buffer): boolean {
  const own = headOf('/proc/self/exe');
  const marks = (elf: Buffer) => Buffer.concat([elf.subarray(4, 6), elf.subarray(18, 20)]);
  return own !== undefined && head.length > 64 && marks(head).equals(marks(own));
}

/** The dynamic loader that a 64-bit ELF program names; undefined for a static program. */
function elfLoader(head: Buffer): string | undefined {
  const [table, size, count] = [
    Number(head.readBigUInt64LE(32)),
    head.readUInt16LE(54),
    head.readUInt16LE(56),
  ];
  for (let at = table; at < table + size * count && at + 40 <= head.length; at += size || head.length) {
    if (head.readUInt32LE(at) !== PT_INTERP) continue;
    const start = Number(head.readBigUInt64LE(at + 8));
    return head.subarray(start, start + Number(head.readBigUInt64LE(at + 32)) - 1).toString('latin1');
  }
  return undefined;
}
