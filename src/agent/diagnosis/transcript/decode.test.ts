import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { decoded } from './decode.ts';

const TEXT = 'error execution phase preflight: größer\n'.repeat(500);

async function decode(bytes: Buffer, size: number): Promise<string> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const found: Buffer[] = [];
  for await (const chunk of decoded(chunks())) found.push(chunk);
  return Buffer.concat(found)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

const utf16 = Buffer.from(`\uFEFF${TEXT}`, 'utf16le');

it.each([
  ['plain text', Buffer.from(TEXT)],
  ['gzip', gzipSync(TEXT)],
  ['UTF-16', utf16],
  ['UTF-16, the other way round', Buffer.from(utf16).swap16()],
  ['UTF-16 in gzip', gzipSync(utf16)],
])('reads %s, in pieces of any size', async (_, bytes) => {
  expect(await decode(bytes, 1)).toBe(TEXT);
  expect(await decode(bytes, 777)).toBe(TEXT);
});

it('reads what is whole of a log that was cut off', async () => {
  const noise = Array.from({ length: 20_000 }, (_, index) => `line ${index * 7919}\n`).join('');
  const whole = gzipSync(noise);
  const cut = await decode(whole.subarray(0, whole.length / 2), 1000);
  expect(cut.length).toBeGreaterThan(10_000);
  expect(noise.startsWith(cut)).toBe(true);
  expect(await decode(Buffer.alloc(0), 10)).toBe('');
});
