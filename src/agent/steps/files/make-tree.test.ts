import {
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { Diagnostics } from '../../text/diagnostics.ts';
import { plainText } from '../../text/source-text.ts';
import { readIgnition } from '../../userdata/ignition/read-ignition.ts';
import type { Shared } from '../kind/shared.ts';
import { makeTree } from './make-tree.ts';

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)('makeTree (needs root for owners)', () => {
  let root: string;
  const at = (path: string) => join(root, path);
  const text = (path: string) => readFileSync(at(path), 'utf8');
  const look = (path: string) => {
    const { mode, uid, gid } = lstatSync(at(path));
    return `${(mode & 0o7777).toString(8)} ${uid}:${gid}`;
  };

  beforeEach(() => {
    root = scratch();
    mkdirSync(at('etc'));
    writeFileSync(at('etc/passwd'), 'core:x:500:501::/home/core:/bin/sh\n');
    writeFileSync(at('etc/group'), 'core:x:501:\n');
  });

  async function make(storage: object, interrupted = false): Promise<StepResult> {
    const diagnostics = new Diagnostics();
    const config = JSON.stringify({ ignition: { version: '3.6.0' }, storage });
    const {
      files,
      directories = [],
      links = [],
      fetching = { authorities: [] },
    } = await readIgnition(plainText(config), diagnostics);
    expect(diagnostics.entries).toEqual([]);
    const context: Partial<StepContext> = {
      host: createLinuxHost({ root }),
      interrupted,
      signal: new AbortController().signal,
      remainingMs: () => 1000,
    };
    return makeTree({ files, directories, links, fetching }, {} as Shared).run(context as StepContext);
  }
  const data = (source: string) => ({ source: `data:,${source}` });

  it('makes everything with its owner and mode, parents first, hard links last', async () => {
    const result = await make({
      links: [
        { path: '/a', target: '/deep/er/b', hard: true },
        { path: '/deep/l', target: '../x', user: { id: 7 } },
      ],
      files: [
        {
          path: '/deep/er/b',
          mode: 0o4755,
          contents: data('b'),
          user: { name: 'core' },
          group: { name: 'core' },
        },
        { path: '/empty' },
        { path: '/c', append: [data('1'), data('2')], mode: 0o600 },
      ],
      directories: [{ path: '/deep', mode: 0o700, group: { id: 9 } }],
    });
    expect(result).toEqual({ done: true, message: '6 made' });
    expect([look('deep'), look('deep/er'), look('deep/er/b'), look('empty'), look('c')]).toEqual([
      '700 0:9',
      '755 0:0',
      '4755 500:501',
      '644 0:0',
      '600 0:0',
    ]);
    expect(lstatSync(at('a')).ino).toBe(lstatSync(at('deep/er/b')).ino);
    expect([readlinkSync(at('deep/l')), look('deep/l').split(' ')[1], text('c')]).toEqual([
      '../x',
      '7:0',
      '12',
    ]);
  });

  it('leaves what is there alone, but for what is said', async () => {
    writeFileSync(at('f'), 'old', { mode: 0o640 });
    chownSync(at('f'), 3, 4);
    mkdirSync(at('d'), 0o711);
    chownSync(at('d'), 3, 4);
    await make({
      files: [{ path: '/f', append: [data('+')], group: { id: 5 } }],
      directories: [{ path: '/d', user: { id: 6 } }],
    });
    expect([text('f'), look('f'), look('d')]).toEqual(['old+', '640 3:5', '711 6:4']);
  });

  it('puts nothing in the place of something else without overwrite', async () => {
    writeFileSync(at('f'), 'old');
    symlinkSync('f', at('l'));
    mkdirSync(at('d'));
    for (const storage of [
      { files: [{ path: '/f', contents: data('new') }] },
      { files: [{ path: '/l' }] },
      { files: [{ path: '/d' }] },
      { directories: [{ path: '/f' }] },
      { links: [{ path: '/f', target: 'x' }] },
      { links: [{ path: '/l', target: 'x' }] },
      { links: [{ path: '/l', target: '/f', hard: true }] },
    ])
      expect(await make(storage)).toMatchObject({ done: false, failure: { code: 'FileNotWritten' } });
    expect([text('f'), readlinkSync(at('l'))]).toEqual(['old', 'f']);
  });

  it('does so with overwrite, and follows no link that was there', async () => {
    writeFileSync(at('f'), 'old');
    symlinkSync('f', at('l'));
    mkdirSync(at('d'));
    writeFileSync(at('d/x'), '');
    linkSync(at('f'), at('h'));
    const overwrite = true;
    await make({
      files: [{ path: '/l', contents: data('new'), overwrite }],
      directories: [{ path: '/d', overwrite }],
      links: [{ path: '/h', target: 'y', overwrite }],
    });
    expect([text('f'), text('l'), existsSync(at('d/x')), readlinkSync(at('h'))]).toEqual([
      'old',
      'new',
      false,
      'y',
    ]);
  });

  it('changes nothing when it is done again after an interruption', async () => {
    const storage = {
      files: [{ path: '/c', contents: data('0'), append: [data('1')] }],
      links: [
        { path: '/l', target: 'c' },
        { path: '/h', target: 'c', hard: true },
      ],
      directories: [{ path: '/d' }],
    };
    await make(storage);
    expect(await make(storage, true)).toMatchObject({ done: true });
    expect(text('c')).toBe('01');
  });

  it('says which user there is not', async () => {
    const result = await make({ files: [{ path: '/a', user: { name: 'nobody-here' } }] });
    expect(result).toMatchObject({ done: false, failure: { cause: expect.stringContaining('nobody-here') } });
    expect(existsSync(at('a'))).toBe(false);
  });
});
