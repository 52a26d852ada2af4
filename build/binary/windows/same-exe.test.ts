import { describe, expect, it } from 'vitest';
import { differencesFromUpstreamExe } from './same-exe.ts';

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';

/** A program of sections, each 64 bytes in the file, of which 60 count. */
function program(sections: Record<string, string>, entry = 0x1000): Buffer {
  const file = Buffer.alloc(1024);
  file.write('MZ');
  file.writeUInt32LE(0x40, 0x3c);
  file.write('PE', 0x40);
  file.writeUInt16LE(Object.keys(sections).length, 0x40 + 6);
  file.writeUInt16LE(0x60, 0x40 + 20);
  file.writeUInt32LE(entry, 0x40 + 40);
  for (const [index, [name, text]] of Object.entries(sections).entries()) {
    const header = file.subarray(0x40 + 24 + 0x60 + 40 * index);
    header.write(name);
    for (const [at, value] of [
      [8, 60],
      [12, 0x1000 * (index + 1)],
      [16, 64],
      [20, 640 + 64 * index],
    ] as const)
      header.writeUInt32LE(value, at);
    file.write(text, 640 + 64 * index);
  }
  return file;
}

const UPSTREAM = program({ '.text': 'code', '.rdata': `${FUSE}0`, '.rsrc': 'icon', '.reloc': 'places' });

describe('differencesFromUpstreamExe', () => {
  it('lets the blob among the resources pass, and the fuse that says that it is there', () => {
    const own = program({ '.text': 'code', '.rdata': `${FUSE}1`, '.reloc': 'places', '.rsrc': 'icon, blob' });
    expect(differencesFromUpstreamExe(UPSTREAM, own)).toEqual([]);
  });

  it.each<[string, Buffer, string[]]>([
    [
      'other code',
      program({ '.text': 'cade', '.rdata': `${FUSE}1`, '.rsrc': '', '.reloc': 'places' }),
      ['.text has other bytes'],
    ],
    [
      'other data',
      program({ '.text': 'code', '.rdata': FUSE.replace('N', 'M'), '.rsrc': '', '.reloc': 'places' }),
      ['.rdata has other bytes'],
    ],
    [
      'moved code',
      program({ '.rdata': `${FUSE}1`, '.text': 'code', '.rsrc': '', '.reloc': 'places' }),
      ['.text lies elsewhere', '.rdata lies elsewhere'],
    ],
    [
      'more code',
      program({ '.text': 'code', '.rdata': `${FUSE}1`, '.rsrc': '', '.reloc': 'places', more: '' }),
      ['more was added'],
    ],
    ['less', program({ '.text': 'code', '.rdata': `${FUSE}1`, '.rsrc': '' }), ['.reloc is missing']],
    [
      'another start',
      program({ '.text': 'code', '.rdata': `${FUSE}1`, '.rsrc': '', '.reloc': 'places' }, 1),
      ['it starts elsewhere'],
    ],
  ])('sees %s', (_, own, differences) => {
    expect(differencesFromUpstreamExe(UPSTREAM, own)).toEqual(differences);
  });
});
