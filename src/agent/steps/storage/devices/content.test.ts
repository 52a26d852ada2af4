import { expect, it } from 'vitest';
import { parseContent } from './content.ts';

it('reads what blkid exports', () => {
  expect(parseContent('')).toEqual({});
  expect(parseContent('DEVNAME=/dev/sdb\nPTUUID=1\nPTTYPE=gpt\n')).toEqual({ table: 'gpt' });
  expect(parseContent('DEVNAME=/dev/sdb1\nLABEL=my\\ data\\=x\nTYPE=ext4\nUSAGE=filesystem\n')).toEqual({
    type: 'ext4',
    label: 'my data=x',
  });
});
