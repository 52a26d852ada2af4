import { expect, test } from 'vitest';
import { memoryDevices } from './smbios.ts';

/** A Memory Device of version 2.7, with one text. */
function module(size: number, extended = 0, kind = 0x1a): Buffer {
  const fields = Buffer.alloc(0x22);
  fields.set([17, fields.length, 0, 0x11]);
  fields.writeUInt16LE(size, 0x0c);
  fields.writeUInt8(kind, 0x12);
  fields.writeUInt32LE(extended, 0x1c);
  return Buffer.concat([fields, Buffer.from('DIMM A1\0\0')]);
}
const bare = Buffer.from([0, 4, 0, 0, 0, 0]);
const end = Buffer.from([127, 4, 0, 0, 0, 0]);

test('adds up what is plugged in', () => {
  const table = Buffer.concat([bare, module(16_384), module(0), module(0x7fff, 65_536), module(0x8200), end]);
  expect(memoryDevices(table)).toEqual([16 * 2 ** 30, 64 * 2 ** 30, 512 * 1024]);
});

test("counts QEMU's memory, which is plain RAM", () => {
  expect(memoryDevices(Buffer.concat([module(1536, 0, 0x07), end]))).toEqual([1536 * 2 ** 20]);
});

test('leaves out what is unknown, and flash memory', () => {
  expect(
    memoryDevices(Buffer.concat([module(0xffff), module(16, 0, 0x09), module(16, 0, 0x1f), end])),
  ).toEqual([]);
});

test('stops where the table makes no sense', () => {
  expect(memoryDevices(Buffer.concat([module(1024), Buffer.from([17, 2, 0, 0]), module(1024)]))).toHaveLength(
    1,
  );
  expect(memoryDevices(module(1024).subarray(0, 20))).toEqual([]);
  expect(memoryDevices(Buffer.alloc(0))).toEqual([]);
  expect(memoryDevices(Buffer.alloc(100_000))).toEqual([]);
});
