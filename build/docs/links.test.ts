import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { root } from '../project.ts';

const pages = execaSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
})
  .stdout.split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

/** Text without code, in which brackets are no links. */
function proseOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
    .replace(/^(`{3,}).*?^\1/gms, '')
    .replace(/^ {4}.*$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));
}

/** As GitHub makes them: lower case, blanks as hyphens, without punctuation, the second of one name with a number. */
function anchorsOf(path: string): Set<string> {
  const found = new Set<string>();
  for (const [, title = ''] of readFileSync(join(root, path), 'utf8').matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replace(/ /g, '-');
    let name = anchor;
    for (let n = 1; found.has(name); n += 1) name = `${anchor}-${n}`;
    found.add(name);
  }
  return found;
}

function brokenIn(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return [];
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : normalize(join(dirname(page), file));
    if (!existsSync(join(root, target))) return [`${page}: ${link} is not there`];
    const isPage = target.endsWith('.md') && statSync(join(root, target)).isFile();
    return anchor === undefined || !isPage || anchorsOf(target).has(anchor)
      ? []
      : [`${page}: ${link} names no heading`];
  });
}

it('links of pages lead to files and headings that are there', () => {
  expect(pages.flatMap(brokenIn)).toEqual([]);
});

it('the index of docs names every page', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const missing = pages.filter(
    (page) => /^docs\/[a-z-]+\.md$/.test(page) && !index.includes(`(${page.slice(5)})`),
  );
  expect(missing).toEqual([]);
});
