import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { BoundedWriter } from './bounded-writer.ts';

/** A stream whose reader takes nothing until told. */
function sleepyStream() {
  const taken: string[] = [];
  let wake: (() => void) | undefined;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      taken.push(String(chunk));
      wake = done;
    },
  });
  return {
    stream,
    taken,
    async drain() {
      while (stream.writableLength > 0) {
        wake?.();
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

describe('BoundedWriter', () => {
  it('leaves out what the reader does not take, and says so when it reads again', async () => {
    const { stream, taken, drain } = sleepyStream();
    const writer = new BoundedWriter(stream);
    const line = 'x'.repeat(64 * 1024);
    for (let count = 0; count < 1000; count += 1) writer.line(line);
    expect(stream.writableLength).toBeLessThan(5 * 1024 * 1024);
    await drain();
    writer.line('again');
    await drain();
    expect(taken.at(-1)).toMatch(/^\.\.\. 9\d\d lines of output not shown \.\.\.\nagain\n$/);
  });

  it('writes every line while the reader keeps up', async () => {
    const { stream, taken, drain } = sleepyStream();
    const writer = new BoundedWriter(stream);
    writer.line('a');
    writer.line('b');
    await drain();
    expect(taken).toEqual(['a\n', 'b\n']);
  });
});
