import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../test/support/tmp/scratch.ts';
import { nodeBinary, root } from './project.ts';
import { readUses } from './walls/uses.ts';
import { unusedExports, unusedRowWords, wallViolations } from './walls.ts';

describe('walls', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
    const compilerOptions = { module: 'NodeNext', noEmit: true, noLib: true, types: [] };
    put('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src', 'build', 'test'] }));
    put(
      'package.json',
      JSON.stringify({ dependencies: { undici: '8', 'js-yaml': '5' }, devDependencies: { vitest: '5' } }),
    );
    put('src/agent/host/x.ts', 'export type T = 1;\n');
  });

  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };

  it.each([
    ['src/protocol/a.ts', `import { x } from '../kit/x.ts';`],
    ['src/protocol/a.ts', `import { x } from 'node:fs';`],
    ['src/kit/a.ts', `import { x } from '../agent/x.ts';`],
    ['src/kit/bytes/a.ts', `import { x } from '../../agent/x.ts';`],
    ['src/kit/a.ts', `import { x } from '../pki/x.ts';`],
    ['src/kit/a.ts', `import { x } from 'node:fs';`],
    ['src/kit/a.ts', `export class WireError extends Error {}`],
    ['src/agent/cli/a.ts', `class Odd extends TypeError {}`],
    ['src/kit/a.ts', `import { isIP, connect } from 'node:net';`],
    ['src/kit/a.ts', `import net, { isIP } from 'node:net';`],
    ['src/kit/a.ts', `import { hostname as isIP } from 'node:os';`],
    ['src/tpm/a.ts', `import { x } from '../agent/x.ts';`],
    ['src/tpm/a.ts', `import { x } from '../pki/x.ts';`],
    ['src/tpm/a.ts', `import { x } from 'node:fs';`],
    ['src/pki/a.ts', `import { x } from '../controller/x.ts';`],
    ['src/pki/a.ts', `import { x } from '../tpm/x.ts';`],
    ['src/agent/steps/a.ts', `import { x } from '../../controller/x.ts';`],
    ['src/agent/steps/a.ts', `import { x } from '../host/linux/host.ts';`],
    ['src/agent/steps/a.ts', `import { x } from '../cli/program.ts';`],
    ['src/agent/cli/a.ts', `import { x } from '../../controller/x.ts';`],
    ['src/agent/host/a.ts', `import { x } from '../steps/x.ts';`],
    ['src/agent/host/linux/a.ts', `import { x } from '../../kubeadm/x.ts';`],
    ['src/controller/web/a.ts', `import { x } from '../../agent/x.ts';`],
    ['src/controller/cli/a.ts', `import { x } from '../../slipway.ts';`],
    ['src/controller/store/a.ts', `import { x } from '../machines/x.ts';`],
    ['src/controller/store/a.ts', `import { x } from 'undici';`],
    ['src/agent/steps/a.ts', `import { x } from 'undici/lib/x.js';`],
    ['src/protocol/a.ts', `import type { x } from 'js-yaml';`],
    ['src/controller/machines/a.ts', `import { x } from 'node:fs';`],
    ['src/slipway.ts', `import { x } from './agent/steps/x.ts';`],
    ['src/slipway.ts', `import { x } from './controller/x.ts';`],
    ['src/slipway-controller.ts', `import { x } from './agent/x.ts';`],
    ['src/agent/collect/a.ts', `import { x } from '../../../test/x.ts';`],
    ['src/agent/collect/a.ts', `import { x } from './x.test.ts';`],
    ['src/agent/collect/a.ts', `import { x } from './fixtures/x.ts';`],
    ['src/agent/collect/a.ts', `import { x } from 'vitest';`],
    ['src/agent/collect/a.ts', `import { x } from '#x';`],
  ])('%s must not: %s', (path, line) => {
    put(path, `// The line is told.\n${line}\n`);
    expect(wallViolations(folder)).toEqual([expect.stringMatching(`^${path}:2: \\w`)]);
  });

  it.each([
    `import '../agent/x.ts';`,
    `import type { T } from '../agent/x.ts';`,
    `import { type T } from '../agent/x.ts';`,
    `import * as all from '../agent/x.ts';`,
    `export { T } from '../agent/x.ts';`,
    `export type { T } from '../agent/x.ts';`,
    `export * from '../agent/x.ts';`,
    `export const x = await import('../agent/x.ts');`,
    'export const x = await import(`../agent/x.ts`);',
    `export const x = await import(process.argv[0]);`,
    `export const x = await import('node:' + 'fs');`,
    `export type X = import('../agent/x.ts').T;`,
    `import x = require('../agent/x.ts');`,
    `export const x = await import('fs');`,
    `export const x = await import('node:fs/promises');`,
    `import { type Stats, readFileSync } from 'node:fs';`,
    `export const x = require('fs');`,
    `export const x = process.getBuiltinModule('fs');`,
    `const { getBuiltinModule } = process;`,
    `export const x = process['execve']('/bin/sh');`,
    `process.kill(1);`,
    `export const x = process.env.HOME;`,
    `export const x = await fetch('file:');`,
    `export const x = globalThis.fetch;`,
    `export const x = new WebSocket('ws:');`,
  ])('no form of import or call goes unseen: %s', (line) => {
    put('src/kit/a.ts', line);
    expect(wallViolations(folder)).not.toEqual([]);
  });

  it('lets through what may be', () => {
    put('src/protocol/a.ts', `import { x } from './codes/x.ts';`);
    put('src/kit/b.ts', `import type { Stats } from 'node:fs';\nimport { type Socket } from 'node:net';`);
    put('src/kit/a.ts', `import { x } from './b.ts';\nimport { isIP as y } from 'node:net';`);
    put('src/pki/a.ts', `import { x } from '../kit/x.ts';\nimport { y } from 'node:crypto';`);
    put(
      'src/agent/steps/tools/a.ts',
      `import { x } from '../../engine/x.ts';\nimport { y } from '../../host/host.ts';`,
    );
    put(
      'src/agent/kubeadm/config/yaml/b.ts',
      `import { x } from 'js-yaml';\nimport { y } from 'js-yaml/util';`,
    );
    put('src/agent/create-host.ts', `import { x } from './host/linux/host.ts';`);
    put('src/agent/cli/a.ts', `import { x } from '../create-host.ts';`);
    put('src/agent/host/linux/a.ts', `import { x } from 'node:fs';\nprocess.kill(process.env);`);
    put('src/agent/host/linux/b.ts', `export const x = process.getBuiltinModule('node:dns');`);
    put('src/controller/store/a.ts', `import { x } from '../kube/x.ts';\nimport { y } from 'node:fs';`);
    put('src/controller/kube/a.ts', `import { x } from 'undici';\nimport { y } from 'node:https';`);
    put(
      'src/agent/collect/a.test.ts',
      `import { x } from 'node:fs';\nimport { y } from '../controller/x.ts';`,
    );
    put(
      'src/agent/collect/b.ts',
      `// import { x } from '../controller/x.ts'\nexport const x = "import('node:fs')";`,
    );
    expect(wallViolations(folder)).toEqual([]);
  });

  it('sees a circle of files, of types too, and one of folders', () => {
    put('src/kit/a.ts', `import { b } from './b.ts';`);
    put('src/kit/b.ts', `import type { C } from './c.ts';`);
    put('src/kit/c.ts', `import { a } from './a.ts';`);
    put('src/kit/d.ts', `import { x } from './bytes/x.ts';`);
    put('src/kit/bytes/y.ts', `import { a } from '../a.ts';`);
    expect(wallViolations(folder)).toEqual([
      'src/kit/d.ts:1: imports src/kit/bytes/x.ts; src/kit may import itself',
      'src/kit/bytes/y.ts:1: imports src/kit/a.ts; src/kit/bytes may import itself',
      'a circle: src/kit/a.ts, src/kit/b.ts, src/kit/c.ts',
      'a circle: src/kit, src/kit/bytes',
    ]);
  });

  it('sees a circle of top rooms where neither files nor folders make one', () => {
    put('src/agent/stores/a.ts', `import { x } from '../fetch/x.ts';`);
    put('src/agent/fetch/objects/b.ts', `import type { X } from '../../stores/reference/x.ts';`);
    put('src/controller/kube/untrusted/c.ts', `import { x } from '../../store/x.ts';`);
    put('src/controller/store/d.ts', `import { x } from '../kube/x.ts';`);
    put('src/agent/identity/e.ts', `import { x } from '../settings/x.ts';`);
    put('src/agent/settings/e.test.ts', `import { x } from '../identity/x.ts';`);
    expect(wallViolations(folder).filter((breach) => breach.startsWith('a circle'))).toEqual([
      'a circle of top rooms: src/agent/fetch, src/agent/stores',
      'a circle of top rooms: src/controller/kube, src/controller/store',
    ]);
  });

  it.each(['src/new-room', 'src/controller', 'src/kit/deeper', 'src/agent/userdata/new'])(
    'refuses %s, which has no row',
    (path) => {
      put(`${path}/a.ts`, 'export const x = 1;');
      put(`${path}/b.ts`, `import { x } from './a.ts';`);
      expect(wallViolations(folder)).toEqual([`${path} has no row in build/walls: say what it may import`]);
    },
  );

  it('sees words of a row that no source needs, and rows without sources', () => {
    put('src/pki/a.ts', `import { x } from '../kit/x.ts';`);
    put('src/agent/apply/a.ts', `import { x } from '../host/x.ts';`);
    put('src/agent/steps/containerd/a.ts', `import { x } from 'smol-toml';`);
    put('src/agent/stores/jwe/a.ts', `import { x } from '@noble/curves/nist.js';`);
    const idle = unusedRowWords(readUses(folder));
    expect(idle).toContain('src/agent/apply does not import src/agent/steps/kind: take it out of its row');
    expect(idle).toContain('src/agent/kubeadm/config has a row in build/walls, and no sources');
    expect(idle.filter((line) => line.startsWith('src/pki '))).toEqual([]);
    expect(idle.join()).not.toMatch(/apply does not import src.agent.host:|smol-toml|@noble.curves/);
  });

  it('sees what is exported and nobody imports, and knows each way to import a name', () => {
    const used = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    put('src/kit/a.ts', used.map((name) => `export const ${name} = 1;`).join('\n'));
    put('src/kit/a.test.ts', `import { a, type b as B } from './a.ts';\nexport { c as C } from './a.ts';`);
    put('src/kit/b.ts', `const { d: D } = await import('./a.ts');\nconst E = (await import('./a.ts')).e;`);
    put('build/c.ts', `type F = import('../src/kit/a.ts').f;`);
    put('src/kit/all.ts', 'export const x = 1;\nexport type Y = 1;');
    put('build/d.ts', `import * as all from '../src/kit/all.ts';\nexport { C } from '../src/kit/a.test.ts';`);
    put('test/e.ts', 'export function run() {}');
    expect(unusedExports(readUses(folder))).toEqual([
      'src/agent/host/x.ts:1: exports T, which no other file imports',
      'src/kit/a.ts:7: exports g, which no other file imports',
      'src/kit/a.ts:8: exports h, which no other file imports',
      'build/d.ts:2: exports C, which no other file imports',
    ]);
    put('test/f.ts', `import('../src/kit/a.ts').then(({ g }) => g);`);
    expect(unusedExports(readUses(folder)).join()).not.toContain('src/kit/a.ts');
  });

  it('sees a folder with more sources than a reader takes in, and counts no tests', () => {
    for (let i = 0; i < 15; i++) put(`src/kit/a${i}.ts`, 'export {};');
    put('src/kit/a1.test.ts', 'export {};');
    expect(wallViolations(folder)).toEqual([]);
    put('src/kit/more.ts', 'export {};');
    expect(wallViolations(folder)).toEqual([expect.stringContaining('src/kit holds 16 sources')]);
  });

  it('lets the build and the tests import what they like, but neither in circles of files nor from heaps', () => {
    put('test/support/a.ts', `import { x } from '../../src/agent/host/x.ts';\nimport { y } from 'node:fs';`);
    put('test/lab/b.ts', `import { c } from './deeper/c.ts';`);
    put('test/lab/deeper/c.ts', `import { d } from '../d.ts';`);
    expect(wallViolations(folder)).toEqual([]);
    put('test/lab/d.ts', `import { c } from './deeper/c.ts';`);
    for (let i = 0; i < 16; i++) put(`build/a${i}.ts`, 'export {};');
    expect(wallViolations(folder)).toEqual([
      'a circle: test/lab/d.ts, test/lab/deeper/c.ts',
      expect.stringContaining('build holds 16 sources'),
    ]);
  });

  it('ends npm run check with the place and the rule', () => {
    put('src/kit/a.ts', `import { x } from '../agent/x.ts';`);
    const check = execaSync(nodeBinary(), [join(root, 'build/walls.ts'), folder], {
      reject: false,
      stripFinalNewline: false,
    });
    expect(check.exitCode).toBe(1);
    expect(check.stderr).toContain('src/kit/a.ts:1: imports src/agent/x.ts; src/kit may import itself\n');
  });
});
