import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { root } from '../project.ts';

/** Made by programs from tables, whose rows set the length of their lines. */
const GENERATED = new Set(['docs/codes.md', 'docs/checks.md']);

const WIDTH = 120;
const LONG_PAGE = 150;

const pages = execaSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'docs/*.md'], {
  cwd: root,
})
  .stdout.split('\n')
  .filter((path) => path !== '' && !GENERATED.has(path));

/** The lines of a page that people wrap by hand, with their numbers; neither code nor tables. */
function proseLines(text: string): { line: string; number: number }[] {
  let inFence = false;
  return text.split('\n').flatMap((line, at) => {
    if (/^\s*```/.test(line)) {
      inFence = !inFence;
      return [];
    }
    const isCode = inFence || /^ {4,}\S/.test(line);
    return isCode || /^\s*\|/.test(line) ? [] : [{ line, number: at + 1 }];
  });
}

/** A link that is too long for one line cannot be wrapped. */
function isOneLink(line: string): boolean {
  return /^\s*(?:[-*] )?\[[^\]]*\]\(\S*\)\S*$/.test(line) || /^\s*(?:[-*] )?<?https?:\/\/\S+$/.test(line);
}

function tooLongLines(text: string): number[] {
  return proseLines(text)
    .filter(({ line }) => line.length > WIDTH && !isOneLink(line))
    .map(({ number }) => number);
}

/** Sections that a long page does not link to before its first section. */
function missingContents(text: string): string[] {
  if (text.trimEnd().split('\n').length <= LONG_PAGE) return [];
  const sections = proseLines(text).filter(({ line }) => line.startsWith('## '));
  const first = sections[0]?.number ?? 0;
  const head = text.split('\n').slice(0, first).join('\n');
  return sections.map(({ line }) => line.slice(3)).filter((title) => !head.includes(`[${title}](#`));
}

it.each(pages)('%s is wrapped at 120 columns', (page) => {
  expect(tooLongLines(readFileSync(join(root, page), 'utf8')).map((number) => `${page}:${number}`)).toEqual(
    [],
  );
});

it.each(pages)('%s has a table of contents if it is long', (page) => {
  expect(missingContents(readFileSync(join(root, page), 'utf8'))).toEqual([]);
});

it('finds long lines of prose, and leaves code, tables and links alone', () => {
  const long = `${'word '.repeat(30)}`;
  expect(
    tooLongLines(`# A\n\n${long}\n\n    ${long}\n\n| ${long} |\n\n\`\`\`\n${long}\n\`\`\`\n\n- ${long}`),
  ).toEqual([3, 13]);
  expect(tooLongLines(`- [${long}](${'x'.repeat(130)})`)).toEqual([]);
});

it('finds a section that the contents of a long page do not name', () => {
  const page = `# A\n\n- [One](#one)\n\n## One\n\n## Two\n${'text\n'.repeat(LONG_PAGE)}`;
  expect(missingContents(page)).toEqual(['Two']);
  expect(missingContents('# A\n\n## One\n')).toEqual([]);
});
