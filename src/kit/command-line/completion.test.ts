import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { CommandRow } from './command-table.ts';
import { completion, SHELLS } from './completion.ts';

const TABLE: CommandRow[] = [
  {
    name: 'plan',
    description: "what it's going to do: all of it [soon]",
    arguments: [],
    options: [
      { names: ['--user-data'], value: 'file', description: 'read it' },
      { names: ['-o', '--output'], value: 'format', description: 'text or json' },
      { names: ['--verbose'], description: 'say more' },
    ],
  },
  { name: 'explain', description: 'what a code means', arguments: ['code'], options: [] },
  {
    name: 'token',
    description: 'make or show some',
    arguments: ['action', 'id'],
    choices: ['create', 'list'],
    options: [],
  },
  { name: 'ca', description: 'show it', arguments: ['action'], choices: ['show'], options: [] },
];
const VALUES = { format: ['text', 'json'], code: ['TokenUnknown', 'TokenExpired', 'DiskFull'] };
const made = (shell: (typeof SHELLS)[number]) => completion(shell, 'my-tool', TABLE, VALUES);

/** What bash offers behind these words, the last of which is being typed. */
function offered(...words: string[]): string[] {
  const script = `${made('bash')}
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_my_tool
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', 'my-tool', ...words], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('bash', () => {
  it.each([
    [['p'], ['plan']],
    [[''], ['plan', 'explain', 'token', 'ca', '--help', '--version']],
    [['plan', '--v'], ['--verbose']],
    [
      ['plan', '--output', ''],
      ['text', 'json'],
    ],
    [['plan', '--verbose', '-o', 'j'], ['json']],
    [['plan', '--output', '=', 'te'], ['text']],
    [
      ['plan', '--user-data', 'completion.t'],
      ['completion.test.ts', 'completion.ts'],
    ],
    [
      ['explain', 'Tok'],
      ['TokenUnknown', 'TokenExpired'],
    ],
    [['explain', '--'], ['--help']],
    [
      ['token', ''],
      ['create', 'list'],
    ],
    [['ca', ''], ['show']],
    [['nonsense', ''], []],
  ])('offers behind %j: %j', (words, expected) => {
    expect(offered(...words).sort()).toEqual([...expected].sort());
  });
});

describe.each(SHELLS)('%s', (shell) => {
  it('names every command, option and value', () => {
    const text = made(shell);
    for (const word of [
      'plan',
      'explain',
      'user-data',
      'output',
      'verbose',
      'text',
      'json',
      'TokenExpired',
      'list',
      'show',
    ])
      expect(text).toContain(word);
  });
});

it('quotes descriptions for the shells that show them', () => {
  expect(made('zsh')).toContain("'plan:what it'\\''s going to do\\: all of it \\[soon\\]'");
  expect(made('fish')).toContain("-a plan -d 'what it\\'s going to do: all of it [soon]'");
  expect(made('fish')).toContain("-s o -l output -r -a 'text json' -d 'text or json'");
});
