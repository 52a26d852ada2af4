import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, it } from 'vitest';
import { root } from '../project.ts';

/** What a native engineer would not write, and what stands for it. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [
    /(?<!\b(?:of|from|in|by|with|for|let|to|on) (?:the |its |other )?)\b[Uu]ser data (?:are|have|say|were|ask for|hold)\b/,
    'user data is, has, says',
  ],
  [/could not be told/, 'say who could not report what to whom'],
  [/\bis owed\b/, 'callback, expected'],
  [/\bEverybody may\b/, 'world-readable, world-writable'],
  [/what it seems to\b/, 'lint, appears to mean'],
  [/to those who wait for it/, 'receivers'],
  [/\bacts? upon nothing\b/, 'does nothing, ignores'],
  [/\bnothing comes of it\b/, 'has no effect'],
  [/\bmay be written by everybody\b/, 'world-writable'],
  [/\bThe same holds\b/, 'the same is true, the same applies'],
  [/\bbroke off\b/, 'closed the connection'],
  [/\bmust be a text\b/, 'must be a string'],
  [/\bwhy is cut off\b/, 'the reason is cut off'],
];

const files = execaSync(
  'git',
  [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    'src',
    'docs',
    'manifests',
    'systemd',
    'README.md',
  ],
  { cwd: root },
)
  .stdout.split('\n')
  .filter((path) => /\.(?:ts|md|yaml|service)$/.test(path) && !path.includes('/fixtures/'))
  .filter((path) => existsSync(join(root, path)));

it('translated phrases do not come back', () => {
  const found = files.flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        PHRASES.flatMap(([phrase, better]) => {
          const [words] = phrase.exec(line) ?? [];
          return words === undefined ? [] : [`${path}:${at + 1}: "${words}"; better: ${better}`];
        }),
      ),
  );
  expect(found).toEqual([]);
});
