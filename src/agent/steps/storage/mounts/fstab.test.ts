import { describe, expect, it } from 'vitest';
import { type FstabFields, fieldsOf, isWithOthers, withMounts } from './fstab.ts';

const data: FstabFields = ['LABEL=data', '/srv/my data', 'ext4', 'defaults,nofail', '0', '2'];
const line = 'LABEL=data\t/srv/my\\040data\text4\tdefaults,nofail,comment=cloudconfig\t0\t2\n';

describe('withMounts', () => {
  it('adds lines behind those of others and replaces its own', () => {
    const others = '# root\nUUID=1 / ext4 defaults 0 1\n';
    const once = withMounts(others, [data]);
    expect(once).toBe(others + line);
    expect(withMounts(once, [data])).toBe(once);
    expect(withMounts(once, [])).toBe(others);
  });

  it('works on an empty file and on one without a last line end', () => {
    expect(withMounts('', [data])).toBe(line);
    expect(withMounts('/dev/a /a', [data])).toBe(`/dev/a /a\n${line}`);
    expect(withMounts('', [])).toBe('');
  });

  it('leaves out the last fields where they are empty', () => {
    expect(withMounts('', [['/dev/a', '/a', 'ext4', 'ro', '', '']])).toBe(
      '/dev/a\t/a\text4\tro,comment=cloudconfig\n',
    );
  });

  it('writes white space and backslashes so that mount reads them back', () => {
    expect(withMounts('', [['a\\b', '/c\td', 'auto', 'x', '0', '0']])).toContain('a\\134b\t/c\\011d\t');
  });
});

describe('isWithOthers', () => {
  it('finds the same device at the same place in a line that is not ours', () => {
    expect(isWithOthers('LABEL=data  /srv/my\\040data xfs ro 0 0\n', data)).toBe(true);
    expect(isWithOthers('LABEL=data /srv/other xfs ro 0 0\n', data)).toBe(false);
    expect(isWithOthers(line, data)).toBe(false);
  });
});

it('takes no fields from an entry without a mount point', () => {
  expect(fieldsOf({ fields: ['/dev/a', null, 'auto', 'defaults', '0', '2'] })).toBeUndefined();
  expect(fieldsOf({ fields: ['/dev/a', '/a', 'auto', 'ro', '0', '2'] })?.[1]).toBe('/a');
});
