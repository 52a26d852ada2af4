import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOOTSTRAP_OPTIONS, readPlainOptions } from './plain-options.ts';

/** What the command line library makes of the words; undefined where it complains. */
function byLibrary(words: string[]): unknown {
  const command = new Command('bootstrap').exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of BOOTSTRAP_OPTIONS) command.option(...option);
  try {
    return command.parse(words, { from: 'user' }).opts();
  } catch {
    return undefined;
  }
}

describe('readPlainOptions', () => {
  it.each([
    [[]],
    [['--root', '/mnt', '--user-data', 'a', '--meta-data=b=c']],
    [['--deadline', '90s', '--verbose', '--output=json']],
    [['--root', 'a', '--root', 'b']],
  ])('reads %j as the library does', (words) => {
    expect(readPlainOptions(words, BOOTSTRAP_OPTIONS)).toEqual(byLibrary(words));
    expect(byLibrary(words)).toBeDefined();
  });

  it.each([
    [['--help']],
    [['-h']],
    [['--rot', '/']],
    [['--root']],
    [['--root=']],
    [['--verbose=yes']],
    [['word']],
    [['--', '--verbose']],
    [['--user-data', '--root']],
  ])('leaves %j to the library', (words) => {
    expect(readPlainOptions(words, BOOTSTRAP_OPTIONS)).toBeUndefined();
  });

  it('never reads anything in another way than the library', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '--root',
        '--verbose',
        '--user-data',
        '--output=',
        '--output=json',
        '--',
        '-v',
        '-',
        '',
        '=',
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const plain = readPlainOptions(words, BOOTSTRAP_OPTIONS);
        if (plain !== undefined) expect(plain).toEqual(byLibrary(words));
      }),
    );
  });
});
