import { describe, expect, it } from 'vitest';
import type { DiskEntry } from '../../document/document.ts';
import { isAsPlanned, plannedPartitions, sfdiskScript } from './divided-disk.ts';
import { parseTable } from './sfdisk.ts';

type Divided = Extract<DiskEntry, { layout: unknown }>;

const disk = { bytes: 1000 * 4096, sectorBytes: 4096 };
const entry = (more: Partial<Divided>): Divided => ({
  device: '/dev/sdb',
  tableType: 'mbr',
  layout: true,
  overwrite: false,
  ...more,
});

describe('plannedPartitions', () => {
  it('counts in the disk’s own sectors and gives the last partition what is left', () => {
    const layout = [{ percent: 33, code: '82' }, { percent: 33.3 }, { percent: 10, code: '8e' }];
    expect(plannedPartitions(entry({ layout }), disk)).toEqual([
      { sectors: 330, type: '82', typed: true },
      { sectors: 333, type: '83', typed: false },
      { type: '8e', typed: true },
    ]);
  });

  it('takes codes of two or four digits and GUIDs for gpt', () => {
    const types = (...codes: string[]) =>
      plannedPartitions(
        entry({ tableType: 'gpt', layout: codes.map((code) => ({ percent: 10, code })) }),
        disk,
      ).map(({ type }) => type);
    expect(types('83', '8300', '8e', 'ef00')).toEqual([
      '0FC63DAF-8483-4772-8E79-3D69D8477DE4',
      '0FC63DAF-8483-4772-8E79-3D69D8477DE4',
      'E6D6D379-F507-44C2-A23C-238F2A3DF928',
      'C12A7328-F81F-11D2-BA4B-00A0C93EC93B',
    ]);
    expect(types('c12a7328-f81f-11d2-ba4b-00a0c93ec93b')).toEqual(['C12A7328-F81F-11D2-BA4B-00A0C93EC93B']);
  });

  it('says which code it does not know', () => {
    const unknown = (tableType: 'mbr' | 'gpt', code: string) => () =>
      plannedPartitions(entry({ tableType, layout: [{ percent: 1, code }] }), disk);
    expect(unknown('gpt', 'aabb')).toThrow(/type aabb for \/dev\/sdb is not known \(give the GUID\)/);
    expect(unknown('mbr', '8300')).toThrow(/type 8300 .*two hexadecimal digits/);
  });
});

it('writes what sfdisk reads', () => {
  const planned = plannedPartitions(entry({ layout: [{ percent: 50 }, { percent: 50, code: '0c' }] }), disk);
  expect(sfdiskScript(entry({}), planned)).toBe('label: dos\n\nsize=500, type=83\ntype=c\n');
  const gpt = entry({ tableType: 'gpt' });
  expect(sfdiskScript(gpt, plannedPartitions(gpt, disk))).toBe(
    'label: gpt\n\ntype=0FC63DAF-8483-4772-8E79-3D69D8477DE4\n',
  );
});

describe('isAsPlanned', () => {
  const table = (label: string, ...types: string[]) =>
    parseTable(
      JSON.stringify({
        partitiontable: { label, partitions: types.map((type) => ({ node: '/dev/sdb1', type })) },
      }),
    );
  const fits = (disk_: Divided, present: ReturnType<typeof table>) =>
    isAsPlanned(disk_, present, plannedPartitions(disk_, disk));

  it('is content with any partition for layout: true', () => {
    expect(fits(entry({}), table('gpt', 'X', 'Y'))).toBe(true);
    expect(fits(entry({}), table('dos'))).toBe(false);
    expect(fits(entry({}), parseTable('{"partitiontable":{"label":"dos"}}'))).toBe(false);
  });

  it('compares kind, number and the types that user data names', () => {
    const two = entry({ layout: [{ percent: 50, code: '82' }, { percent: 50 }] });
    expect(fits(two, table('dos', '82', '7'))).toBe(true);
    expect(fits(two, table('gpt', '82', '7'))).toBe(false);
    expect(fits(two, table('dos', '83', '7'))).toBe(false);
    expect(fits(two, table('dos', '82'))).toBe(false);
  });
});
