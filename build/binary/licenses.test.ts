import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../test/support/tmp/scratch.ts';
import { bundle } from './bundle.ts';
import { licensesText, partsOf } from './licenses.ts';

describe('licences', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
  });

  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };

  it.each([
    [
      'src/slipway.ts',
      ['@noble/ciphers', '@noble/curves', '@noble/hashes', '@noble/post-quantum', '@scure/base']
        // What @noble/post-quantum is made with.
        .concat(['@noble/curves', '@noble/hashes'])
        .concat(['age-encryption', 'js-yaml', 'smol-toml']),
      ['Squirrel Chat et al.', 'Vitaly Puzrin', 'Paul Miller', 'The age Authors'],
    ],
    [
      'src/slipway-controller.ts',
      ['undici', 'js-yaml'],
      ['Matteo Collina and Undici contributors', 'Vitaly Puzrin'],
    ],
  ])('are those of every package in the bundle and of Node.js, in full: %s', async (entry, own, owners) => {
    const { inputs } = await bundle({ entry });
    const parts = partsOf(inputs);
    expect(parts.map(({ name }) => name).sort()).toEqual(['Node.js', 'commander', ...own].sort());
    const text = licensesText(parts);
    for (const { name, version } of parts) expect(text).toContain(`\n${name} ${version} (`);
    expect(text).toContain('Apache License');
    for (const owner of owners) expect(text).toContain(owner);
    expect(text).toContain('TJ Holowaychuk');
    // Node.js's file names what is built into it.
    for (const within of ['OpenSSL', 'V8', 'libuv', 'ICU']) expect(text).toContain(within);
  });

  it('take each package once, also scoped and nested ones, and no file of ours', () => {
    const package_ = (path: string, name: string) => {
      put(`${path}/package.json`, JSON.stringify({ name, version: '1.0.0', license: 'MIT' }));
      put(`${path}/LICENCE.md`, `text of ${name}`);
      put(`${path}/notice`, `notice of ${name}`);
    };
    package_('node_modules/a', 'a');
    package_('node_modules/a/node_modules/@s/b', '@s/b');
    const inputs = [
      'src/slipway.ts',
      'node_modules/a/index.js',
      'node_modules/a/lib/deep.js',
      'node_modules/a/node_modules/@s/b/x.js',
    ];
    const parts = partsOf(inputs, folder);
    expect(parts.map(({ name }) => name)).toEqual(['a', '@s/b', 'Node.js']);
    expect(parts[1]?.text).toBe('text of @s/b\n\nnotice of @s/b');
  });

  it('that are missing stop the build', () => {
    put('node_modules/a/package.json', JSON.stringify({ name: 'a', version: '1.0.0', license: 'MIT' }));
    expect(() => partsOf(['node_modules/a/index.js'], folder)).toThrow(
      'a 1.0.0 comes without a licence text',
    );
    put('node_modules/a/LICENSE', 'text');
    put('node_modules/a/package.json', JSON.stringify({ name: 'a', version: '1.0.0' }));
    expect(() => partsOf(['node_modules/a/index.js'], folder)).toThrow(
      'a 1.0.0 comes without a licence text',
    );
  });
});
