import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readUnsized } from './read-unsized.ts';

describe('readUnsized', () => {
  it.each([1, 4000, 4096, 60_000])(
    'reads the whole of a file of /proc, also one of some %i bytes',
    async (size) => {
      const child = spawn('/bin/sleep', ['60'], { env: { A: 'x'.repeat(size) }, stdio: 'ignore' });
      try {
        await new Promise((resolve) => child.once('spawn', resolve));
        const path = `/proc/${child.pid}/environ`;
        await expect.poll(() => readFileSync(path, 'utf8')).toBe(`A=${'x'.repeat(size)}\0`);
        expect(statSync(path).size).toBe(0);
        const read = readUnsized(path);
        expect(read.equals(readFileSync(path))).toBe(true);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );

  it('gives bytes that the next read leaves alone', () => {
    const first = readUnsized('/proc/filesystems');
    const copy = Buffer.from(first);
    readUnsized('/proc/version');
    expect(first.equals(copy)).toBe(true);
  });

  it('is empty for an empty file, and throws as Node.js does', () => {
    expect(readUnsized('/dev/null')).toHaveLength(0);
    expect(() => readUnsized('/proc/no-such-file')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });
});
