import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '../../project.ts';
import { pack } from '../pack.ts';
import { HEADER, sectionsOf } from './elf.ts';
import { differencesFromUpstream } from './same-node.ts';
import { stripBinary } from './strip.ts';

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('differencesFromUpstream', () => {
  let upstream: Buffer;
  let program: Buffer;

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-same-node-'));
    const [main, node, output] = ['main.cjs', 'node', 'program'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(main, 'console.log(1)');
    stripBinary(nodeBinary(), node);
    pack({ main, node, output });
    [upstream, program] = [readFileSync(nodeBinary()), readFileSync(output)];
    rmSync(folder, { recursive: true });
  }, 60_000);

  const differences = (change: (program: Buffer) => void): string[] => {
    const changed = Buffer.from(program);
    change(changed);
    return differencesFromUpstream(upstream, changed);
  };
  const sectionIn = (file: Buffer, name: string) => {
    const found = sectionsOf(file).find((one) => one.name === name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  };
  const flip = (file: Buffer, name: string, at = 0): void => {
    const place = sectionIn(file, name).offset + at;
    file.writeUInt8(file.readUInt8(place) ^ 1, place);
  };

  it('finds none in what stripping and packing make', () => {
    expect(differencesFromUpstream(upstream, program)).toEqual([]);
  });

  it.each(['.text', '.rodata', '.data', '.plt'])('sees a changed byte of %s', (name) => {
    expect(differences((file) => flip(file, name, 8))).toEqual([`${name} has other bytes`]);
  });

  it('sees another symbol, relocation, library and start', () => {
    const linked = ['symbols, relocations or libraries are others'];
    expect(differences((file) => flip(file, '.dynsym', 24 + 8))).toEqual(linked);
    expect(differences((file) => flip(file, '.rela.plt', 16))).toEqual(linked);
    expect(
      differences((file) => {
        const texts = sectionIn(file, '.dynstr');
        file.write('libx', file.indexOf('libc.so.6', texts.offset));
      }),
    ).toEqual(linked);
    expect(differences((file) => file.writeBigUInt64LE(1n, HEADER.entry))).toEqual(['it starts elsewhere']);
  });

  it('sees a section that is gone, and more than one that was added', () => {
    const renamed = differences((file) => {
      const [table] = sectionsOf(file).filter(({ name }) => name === '.shstrtab');
      file.write('.tixt\0', file.indexOf('.text\0', table?.offset));
    });
    // The blob is the one section that may be added, and stands behind.
    expect(renamed).toEqual(['.text is missing', '.tixt was added', ' was added']);
  });
});
