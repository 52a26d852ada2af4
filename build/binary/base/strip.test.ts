import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nodeBinary } from '../../project.ts';
import { stripped } from './strip.ts';

it('takes symbols and debug sections away, moves nothing that is loaded, and takes nothing more the second time', () => {
  const whole = readFileSync(nodeBinary());
  const small = stripped(whole);
  expect(small.length).toBeLessThan(whole.length * 0.9);
  // Behind the ELF header, which says where the table of sections lies.
  const end = small.length - 64 * 64;
  expect(small.subarray(64, end).equals(whole.subarray(64, end))).toBe(true);
  expect(stripped(small).equals(small)).toBe(true);
});

it('refuses what is no 64-bit ELF, such as a Windows program', () => {
  expect(() => stripped(Buffer.from('MZ\x90\x00'))).toThrow('not a 64-bit little-endian ELF file');
});
