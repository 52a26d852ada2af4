import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readBounded } from './read-open.ts';

function read(path: string, maxBytes = 1_000_000): Buffer {
  const fd = openSync(path, 'r');
  try {
    return readBounded(fd, fstatSync(fd).size, maxBytes, path);
  } finally {
    closeSync(fd);
  }
}

describe('readBounded', () => {
  it.each([1, 4000, 4096, 60_000])(
    'reads the whole of a file of /proc, also one of some %i bytes',
    async (size) => {
      const child = spawn('/bin/sleep', ['60'], { env: { A: 'x'.repeat(size) }, stdio: 'ignore' });
      try {
        await new Promise((resolve) => child.once('spawn', resolve));
        const path = `/proc/${child.pid}/environ`;
        await expect.poll(() => readFileSync(path, 'utf8')).toBe(`A=${'x'.repeat(size)}\0`);
        expect(statSync(path).size).toBe(0);
        expect(read(path).equals(readFileSync(path))).toBe(true);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );

  it('gives bytes that the next read leaves alone', () => {
    const first = read('/proc/filesystems');
    const copy = Buffer.from(first);
    read('/proc/version');
    expect(first.equals(copy)).toBe(true);
  });

  it('is empty for an empty file', () => {
    expect(read('/dev/null')).toHaveLength(0);
  });

  it('ends where a file that does not end becomes too large, and says so', () => {
    expect(() => read('/dev/zero', 10_000)).toThrow(
      expect.objectContaining({
        errno: 'EFBIG',
        message: '/dev/zero has more bytes than the 10000 allowed',
      }),
    );
    expect(() => read('/etc/passwd', 10)).toThrow(/^\/etc\/passwd has \d+ bytes, more than the 10 allowed$/);
  });
});
