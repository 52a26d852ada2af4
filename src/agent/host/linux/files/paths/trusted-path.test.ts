import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../../../../test/support/tmp/scratch.ts';
import { followTrusted } from './trusted-path.ts';

const NOBODY = 65_534;

let root: string;
beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'tmp/safe/deep'), { recursive: true });
  for (const path of ['', 'tmp/safe', 'tmp/safe/deep']) chmodSync(join(root, path), 0o755);
  chmodSync(join(root, 'tmp'), 0o1777);
  symlinkSync('../missing', join(root, 'tmp/safe/up'));
  symlinkSync('../new', join(root, 'tmp/safe/deep/up'));
  symlinkSync('/missing', join(root, 'tmp/safe/top'));
  symlinkSync('/missing', join(root, 'tmp/top'));
  symlinkSync('safe/new', join(root, 'tmp/down'));
});

const trusted = (base: string) => ({
  base: base === '/' ? root : join(root, base),
  rest: [],
  whose: undefined,
});
const anybodys = (base: string, ...rest: string[]) => ({ base: join(root, base), rest, whose: NOBODY });

it.each(['/new', '/tmp/safe/new', '/new/er', '/tmp/safe/new/er', '/tmp', '/tmp/safe', '/'])(
  'leaves to root what is, or is missing, where root alone makes something: %s',
  (path) => expect(followTrusted(root, path)).toMatchObject(trusted(path)),
);

it('leaves to anybody what is missing where everybody makes something', () => {
  expect(followTrusted(root, '/tmp/new/er')).toEqual(anybodys('tmp', 'new', 'er'));
});

it('judges what is missing behind a link by the directory that the link leads to', () => {
  expect(followTrusted(root, '/tmp/safe/up/er')).toEqual(anybodys('tmp', 'missing', 'er'));
  expect(followTrusted(root, '/tmp/safe/deep/up')).toMatchObject(trusted('tmp/safe/new'));
  expect(followTrusted(root, '/tmp/top')).toMatchObject(trusted('missing'));
  expect(followTrusted(root, '/tmp/down')).toMatchObject(trusted('tmp/safe/new'));
});

it('judges so at the top too', () => {
  chmodSync(root, 0o1777);
  expect(followTrusted(root, '/new')).toEqual(anybodys('', 'new'));
  expect(followTrusted(root, '/tmp/safe/top')).toEqual(anybodys('', 'missing'));
});

it('knows whether there is a directory for what it found', () => {
  expect(followTrusted(root, '/tmp/safe/new').hasParent).toBe(true);
  expect(followTrusted(root, '/tmp/safe/new/er').hasParent).toBe(false);
});

it('looks at no directory twice that only root can change, and at each other one anew', () => {
  const known = new Map();
  followTrusted(root, '/tmp/safe/new', known);
  expect([...known.keys()]).toEqual([join(root, 'tmp'), join(root, 'tmp/safe')]);
  chmodSync(join(root, 'tmp/safe'), 0o777);
  expect(followTrusted(root, '/tmp/safe/new', known)).toMatchObject(trusted('tmp/safe/new'));
  expect(followTrusted(root, '/tmp/safe/new')).toMatchObject({ whose: NOBODY });
});
