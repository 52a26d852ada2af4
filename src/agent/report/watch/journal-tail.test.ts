import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { JOURNAL } from '../../document/paths.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { JournalTail } from './journal-tail.ts';

describe('JournalTail', () => {
  let folder: string;
  let path: string;
  let asked: number[];
  let host: Host;

  beforeEach(() => {
    folder = scratch();
    path = join(folder, JOURNAL);
    mkdirSync(dirname(path), { recursive: true });
    asked = [];
    const real = createLinuxHost({ root: folder });
    const readFrom: Host['files']['readFrom'] = (file, offset, length) => {
      asked.push(length);
      return real.files.readFrom(file, offset, length);
    };
    host = { ...real, files: { ...real.files, readFrom } };
  });

  const line = (seq: number, step = 's') =>
    `${JSON.stringify({ v: 1, seq, time: '2026-01-02T03:04:05.678Z', mono: 1, boot: 'b', type: 'heartbeat', step })}\n`;
  const seqs = async (tail: JournalTail) => (await tail.poll()).records.map(({ seq }) => seq);

  it('reads what has come, with room for no more than that', async () => {
    const tail = new JournalTail(host);
    expect(await seqs(tail)).toEqual([]);
    writeFileSync(path, line(1) + line(2));
    expect(await seqs(tail)).toEqual([1, 2]);
    appendFileSync(path, line(3));
    expect(await seqs(tail)).toEqual([3]);
    expect(await seqs(tail)).toEqual([]);
    expect(asked).toEqual([2 * line(1).length, line(3).length]);
  });

  it('leaves a line that is still being written', async () => {
    const tail = new JournalTail(host);
    writeFileSync(path, line(1) + line(2).slice(0, 20));
    expect(await seqs(tail)).toEqual([1]);
    appendFileSync(path, line(2).slice(20));
    expect(await seqs(tail)).toEqual([2]);
  });

  it('goes on behind a line without end that a damaged disk gives back', async () => {
    const tail = new JournalTail(host);
    writeFileSync(path, `${line(1)}${'\0'.repeat(2_500_000)}`);
    expect(await seqs(tail)).toEqual([1]);
    appendFileSync(path, `\n${line(2)}`);
    expect(await seqs(tail)).toEqual([2]);
    appendFileSync(path, line(3));
    expect(await seqs(tail)).toEqual([3]);
  });

  it('reads more than a MiB piece by piece, in order', async () => {
    const tail = new JournalTail(host);
    const all = Array.from({ length: 300 }, (_, index) => index + 1);
    writeFileSync(path, all.map((seq) => line(seq, 'x'.repeat(8000))).join(''));
    expect(await seqs(tail)).toEqual(all);
    expect(asked.length).toBeGreaterThan(2);
    expect(Math.max(...asked)).toBe(1024 * 1024);
  });

  it('begins anew with a journal that took its place', async () => {
    const tail = new JournalTail(host);
    writeFileSync(path, line(1) + line(2));
    await tail.poll();
    writeFileSync(path, line(1));
    expect(await tail.poll()).toMatchObject({ replaced: true, records: [{ seq: 1 }] });
  });
});
