import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CaseFile, checkCase, fileOf, readCase } from './case-file.ts';
import { fill } from './values.ts';
import { expectPart } from './verdict.ts';

const SOUND: CaseFile = {
  about: 'x',
  machines: { w1: { role: 'worker', mode: 'binary', 'user-data': 'worker.user-data' } },
  steps: [{ boot: 'w1' }],
};
const step = (content: object) => () => checkCase({ ...SOUND, steps: [content] } as CaseFile, 'case.yaml');

it('refuses what would prove nothing', () => {
  expect(checkCase(SOUND, 'case.yaml')).toBe(SOUND);
  expect(step({ run: 'true', exepct: {} })).toThrow('case.yaml, step 1: there is no word "exepct"');
  expect(step({ wait: 'verdict', expect: { reslut: 'x' } })).toThrow('there is no word "reslut"');
  expect(step({ expect: { result: 'x' } })).toThrow('case.yaml, step 1 needs one verb');
  expect(step({ run: 'true', boot: 'w1' })).toThrow('needs one verb');
  expect(step({ reboot: 'w2' })).toThrow('no machine "w2"');
  expect(() => checkCase({ about: 'x' }, 'case.yaml')).toThrow('needs "about", and "steps" or "roots"');
});

it('leaves no placeholder as it stands', () => {
  expect(fill('a @DISK1@ $& @', { DISK1: '$&' })).toBe('a $& $& @');
  expect(() => fill('@TOKNE@', { TOKEN: 'x' })).toThrow('@TOKNE@ has no value; there are: TOKEN');
});

it('compares the fields that are wanted, and lists as a whole', () => {
  const actual = { kubeadm: 'reset', problems: ['one'], more: 1 };
  expect(() => expectPart(actual, { kubeadm: 'reset' }, '')).not.toThrow();
  expect(() => expectPart(actual, { problems: [] }, '')).toThrow();
  expect(() => expectPart(actual, { absent: 1 }, '')).toThrow();
});

const folders = readdirSync(import.meta.dirname).filter((name) =>
  existsSync(join(import.meta.dirname, name, 'case.yaml')),
);

it.each(folders)('%s can be read, and all files that it names are there', (name) => {
  const folder = join(import.meta.dirname, name);
  const { machines = {}, steps = [], roots = [] } = readCase(folder);
  const named = [
    ...Object.values(machines).flatMap((spec) => [spec['user-data'], ...Object.values(spec.files ?? {})]),
    ...steps.flatMap(({ run, put }) => [run?.split(' ')[0] ?? '', ...Object.values(put ?? {})]),
    ...steps.flatMap(({ bootstrap }) => bootstrap ?? ''),
    ...roots.flatMap(({ apply }) =>
      apply.flatMap((one) => [one['user-data'], one.before ?? '', one.after ?? '']),
    ),
  ]
    .filter((file) => /\.(sh|user-data)$/.test(file))
    // A file for each API that a release may not read itself.
    .flatMap((file) => [...new Set(['v1beta2', 'v1beta4'].map((api) => fill(file, { OTHER_API: api })))]);
  expect(named.length).toBeGreaterThan(0);
  for (const file of named) expect(existsSync(fileOf(folder, file)), file).toBe(true);
});
