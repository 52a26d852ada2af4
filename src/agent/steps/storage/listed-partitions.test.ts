import { describe, expect, it } from 'vitest';
import type { PartitionEntry } from '../../document/document.ts';
import { changesOf, wholeTable } from './listed-partitions.ts';
import { type Present, parseTable } from './sfdisk.ts';

const asked = (more: Partial<PartitionEntry>): PartitionEntry => ({
  number: 1,
  exists: true,
  wipe: false,
  resize: false,
  ...more,
});
const present: Present = { number: 1, start: 2048, size: 4096, type: 'AA', guid: 'BB', label: 'one' };
const change = (more: Partial<PartitionEntry>) => changesOf([asked(more)], [present], 512)[0];

describe('changesOf', () => {
  it('keeps what is as said, and takes 0 and nothing for anything', () => {
    expect(change({ startMiB: 1, sizeMiB: 2, typeGuid: 'aa', guid: 'bb', label: 'one' })?.kind).toBe('keep');
    expect(change({ startMiB: 0, sizeMiB: 0 })?.kind).toBe('keep');
  });

  it('changes what differs only where that is allowed', () => {
    expect(change({ sizeMiB: 3 })).toMatchObject({ kind: 'refuse', why: expect.stringContaining('size') });
    expect(change({ sizeMiB: 3, wipe: true })).toMatchObject({ kind: 'make', isResized: false });
    expect(change({ sizeMiB: 3, resize: true })).toMatchObject({
      kind: 'make',
      isResized: true,
      line: 'start=2048, size=6144, type=AA, uuid=BB, name="one"',
    });
    expect(change({ label: 'x', resize: true })?.kind).toBe('refuse');
    expect(change({ exists: false })?.kind).toBe('refuse');
    expect(change({ exists: false, wipe: true })?.kind).toBe('delete');
    expect(change({ number: 2, exists: false })?.kind).toBe('keep');
  });

  it('finds numbers: those of labels, then the next that are free', () => {
    const entries = [
      asked({ number: 0, label: 'new' }),
      asked({ number: 0, label: 'one' }),
      asked({ number: 2 }),
    ];
    expect(changesOf(entries, [present], 512).map(({ kind, number }) => `${kind} ${number}`)).toEqual([
      'make 2',
      'make 3',
      'keep 1',
    ]);
  });
});

it('leaves the lines of what stays as they are', () => {
  const dump =
    'label: gpt\nlabel-id: X\n\n/dev/sdb1 : start=1, size=2, attrs="GUID:60"\n/dev/sdb2 : start=5, size=6\n';
  expect(
    wholeTable(dump, [
      { kind: 'make', number: 3, line: 'type=C', isResized: false },
      { kind: 'make', number: 2, line: 'start=9, type=D', isResized: false },
    ]),
  ).toBe(
    'label: gpt\nlabel-id: X\n/dev/sdb1 : start=1, size=2, attrs="GUID:60"\n2 : start=9, type=D\n3 : type=C\n',
  );
  expect(wholeTable('', [{ kind: 'make', number: 1, line: 'type=C', isResized: false }])).toBe(
    'label: gpt\n1 : type=C\n',
  );
});

it('reads what sfdisk tells', () => {
  const json =
    '{"partitiontable": {"label": "gpt", "partitions": [{"node": "/dev/nvme0n1p12", "start": 1, "size": 2, "type": "T", "uuid": "U", "name": "N"}]}}';
  expect(parseTable(json).partitions).toEqual([
    { number: 12, start: 1, size: 2, type: 'T', guid: 'U', label: 'N' },
  ]);
  expect(parseTable('{"partitiontable": {"label": "gpt"}}')).toEqual({ label: 'gpt', partitions: [] });
});
