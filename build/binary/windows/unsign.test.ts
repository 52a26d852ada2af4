import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nodeBinary } from '../../project.ts';
import { unsigned } from './unsign.ts';

/** The headers of a 64-bit Windows program with a signature of eight bytes at its end. */
function signedProgram(): Buffer {
  const program = Buffer.alloc(0x200, 0xaa);
  program.write('MZ', 0, 'latin1');
  program.writeUInt32LE(0x80, 0x3c);
  program.write('PE\0\0', 0x80, 'latin1');
  program.writeUInt16LE(0x20b, 0x98);
  program.writeUInt32LE(0x1f8, 0x98 + 144);
  program.writeUInt32LE(8, 0x98 + 148);
  return program;
}

it('takes away the signature and where it lies, and nothing the second time', () => {
  const program = signedProgram();
  const bare = unsigned(program);
  expect(bare.length).toBe(0x1f8);
  expect(bare.readBigUInt64LE(0x98 + 144)).toBe(0n);
  expect(bare.subarray(0x98 + 152).equals(program.subarray(0x98 + 152, 0x1f8))).toBe(true);
  expect(unsigned(bare).equals(bare)).toBe(true);
});

it('refuses what is no Windows program, or has something behind its signature', () => {
  expect(() => unsigned(readFileSync(nodeBinary()))).toThrow('not a 64-bit Windows program');
  expect(() => unsigned(Buffer.from('MZ'))).toThrow('not a 64-bit Windows program');
  expect(() => unsigned(Buffer.concat([signedProgram(), Buffer.from('more')]))).toThrow('at its end');
});
