import { execaSync } from 'execa';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { commandLine } from './shell-word.ts';

it('quotes a command line only where it has to', () => {
  const words = ['A=b c', 'B=', 'C=d', 'kubeadm', 'join', '--node-name=x y', '', "it's"];
  expect(commandLine(words)).toBe(`A='b c' B= C=d kubeadm join '--node-name=x y' '' 'it'\\''s'`);
});

it.runIf(process.platform !== 'win32')('is read by a shell as the words that it is made of', () => {
  const word = fc.string({ maxLength: 12 }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const { stdout } = execaSync('sh', ['-c', `printf '%s\\0' x ${commandLine(words)}`], {
        encoding: 'buffer',
      });
      expect(Buffer.from(stdout).toString().split('\0').slice(1, -1)).toEqual(words);
    }),
    { numRuns: 50 },
  );
});
