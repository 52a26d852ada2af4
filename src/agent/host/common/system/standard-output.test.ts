import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { nodeBinary } from '../../../../../build/project.ts';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';

const OUTPUT = new URL('./standard-output.ts', import.meta.url).href;
const program = (work: string) => `const { standard } = await import(${JSON.stringify(OUTPUT)}); ${work}`;
/** More than any of them takes at once. */
const LINES = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(200)}\n`);
const ALL = `for (let index = 0; index < 3000; index += 1) standard.stdout.write(index + ' ' + 'x'.repeat(200) + '\\n');`;
const argv = (work: string) => ['--input-type=module', '-e', program(work)];

describe('standard output', () => {
  it.runIf(process.platform === 'linux').each([
    ['a pipe', '| cat'],
    ['a pipe whose reader comes later', '| (sleep 0.3; cat)'],
    ['a file', '>file; cat file'],
    ['a file that has something in it', '>>file; cat file'],
  ])('comes in order and whole to %s', (_, redirected) => {
    const words = ['-c', `"$0" "$@" ${redirected}`, nodeBinary(), ...argv(ALL)];
    const { stdout } = execaSync('sh', words, { cwd: scratch(), stripFinalNewline: false });
    // Not toBe on the texts: a failure would print all of them.
    expect(stdout === LINES.join('')).toBe(true);
  });

  it('goes on while nobody reads, and keeps for the reader what it had no room for', async () => {
    const work = `${ALL} standard.stderr.write(String(standard.stdout.writableLength > 0));`;
    const child = spawn(nodeBinary(), argv(work), { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(said)).toBe('true');
    expect((await text(child.stdout)) === LINES.join('')).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  it('has given a socket each line before the process ends, whichever of the two it is', async () => {
    const say = "for (const one of 'abcdef') standard[one < 'd' ? 'stdout' : 'stderr'].write(one + '\\n');";
    const child = spawn(nodeBinary(), argv(`${say} process.exit(3);`), { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(['a\nb\nc\n', 'd\ne\nf\n']);
    expect(await ended).toEqual([3, null]);
  });

  it('lets a process end whose socket nobody reads', async () => {
    const child = spawn(nodeBinary(), argv(`${ALL} setTimeout(() => process.exit(3), 10);`), {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(await once(child, 'exit')).toEqual([3, null]);
    child.stdout.destroy();
  });

  it.runIf(process.platform === 'linux')('does without the streams of Node.js where nothing is wrong', () => {
    const loaded = join(scratch(), 'loaded');
    const work = `standard.stdout.write('a\\n'); standard.stderr.write('b\\n');
      process.on('exit', () => process.getBuiltinModule('fs').writeFileSync(process.env.LOADED, process.moduleLoadList.join()));`;
    for (const redirected of ['2>&1 | cat', '>file 2>&1', '>/dev/null 2>file']) {
      const words = ['-c', `"$0" "$@" ${redirected}`, nodeBinary(), ...argv(work)];
      execaSync('sh', words, { cwd: scratch(), env: { LOADED: loaded } });
      expect(readFileSync(loaded, 'utf8')).not.toMatch(
        /NativeModule (?:net|tty|internal\/fs\/sync_write_stream)/,
      );
    }
  });

  it.runIf(process.platform === 'linux')('leaves it to the stream to say that the disk is full', () => {
    const work = `process.on('uncaughtException', ({ code, syscall }) => { standard.stderr.write(code + ' ' + syscall); });
      standard.stdout.write('a');`;
    const words = ['-c', '"$0" "$@" >/dev/full', nodeBinary(), ...argv(work)];
    expect(execaSync('sh', words).stderr).toBe('ENOSPC write');
  });
});
