import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { root } from '../project.ts';
import { inputFiles } from './inputs.ts';
import { anchorsOf, dropDeadLinks, linksOf } from './links.ts';

/** Links of pages that lead to no file or heading among them. */
function dead(files: ReadonlyMap<string, string>): string[] {
  const paths = [...files.keys()];
  const isThere = (path: string) => paths.some((one) => one === path || one.startsWith(`${path}/`));
  return paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) =>
      linksOf(page, files.get(page) ?? '')
        .filter(
          ({ to, anchor }) =>
            !isThere(to) || (anchor !== undefined && !anchorsOf(files.get(to) ?? '').includes(anchor)),
        )
        .map(({ to, anchor }) => `${page}: ${to}${anchor === undefined ? '' : `#${anchor}`}`),
    );
}

it('has no link in its documents that leads to nothing, neither in the checkout nor in the archive', () => {
  const { stdout } = execaSync('git', ['ls-files', '-z'], { cwd: root });
  const checkout = stdout.split('\0').filter((path) => path !== '');
  const read = (path: string) => (path.endsWith('.md') ? readFileSync(join(root, path), 'utf8') : '');
  expect(dead(new Map(checkout.map((path) => [path, read(path)])))).toEqual([]);
  const archived = inputFiles().map(({ path, content }) => [path, String(content)] as const);
  expect(archived.length).toBeGreaterThan(100);
  expect(dead(new Map(archived))).toEqual([]);
});

it('keeps the words of a link whose file is not there, and says which it is', () => {
  const text =
    '[a case](../test/cases/a), [test/cases/a](../test/cases/a), [b](b.md#c), [w](https://w) ![p](p.svg)';
  expect(dropDeadLinks('docs/x.md', text, (path) => path === 'docs/b.md')).toBe(
    'a case (test/cases/a), test/cases/a, [b](b.md#c), [w](https://w) ![p](p.svg)',
  );
});
