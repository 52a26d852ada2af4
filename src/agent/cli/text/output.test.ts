import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { nodeBinary } from '../../../../build/project.ts';
import { scratch } from '../../../../test/support/tmp/scratch.ts';

/** More than a pipe takes at once. */
const LINES = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(200)}\n`);
const ALL = `for (let index = 0; index < 3000; index += 1) process.stdout.write(index + ' ' + 'x'.repeat(200) + '\\n');`;

/** What the agent relies on of Node.js's streams: a bootstrap must neither wait for who reads its output nor lose lines. */
describe.runIf(process.platform === 'linux')('the standard output of Node.js', () => {
  it.each([
    ['a pipe', '| cat'],
    ['a pipe whose reader comes later', '| (sleep 0.3; cat)'],
    ['a file that has something in it', '>>file; cat file'],
  ])('comes in order and whole to %s', (_, redirected) => {
    const words = ['-c', `"$0" -e "$1" ${redirected}`, nodeBinary(), ALL];
    const { stdout } = execaSync('sh', words, { cwd: scratch(), stripFinalNewline: false });
    // Not toBe on the texts: a failure would print all of them.
    expect(stdout === LINES.join('')).toBe(true);
  });

  it.each([
    ['a pipe', '| (read -r _ <"$2"; cat)'],
    ['a socket', ''],
  ])('does not wait while nobody reads %s, and keeps the rest for the reader', async (name, redirected) => {
    const fifo = `${scratch()}/fifo`;
    execaSync('mkfifo', [fifo]);
    const work = `${ALL} process.stderr.write(String(process.stdout.writableLength > 0));`;
    const words = ['-c', `"$0" -e "$1" ${redirected}`, nodeBinary(), work, fifo];
    const child = spawn('sh', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(said)).toBe('true');
    if (name === 'a pipe') execaSync('sh', ['-c', 'echo go >"$0"', fifo]);
    expect((await text(child.stdout)) === LINES.join('')).toBe(true);
    expect(await ended).toEqual([0, null]);
  });

  it('lets a process end whose output nobody reads', async () => {
    const child = spawn(nodeBinary(), ['-e', `${ALL} setTimeout(() => process.exit(3), 10);`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    expect(await once(child, 'exit')).toEqual([3, null]);
    child.stdout.destroy();
  });

  it('says that the disk is full by an error of its own', () => {
    const work = `process.on('uncaughtException', ({ code, syscall }) => process.stderr.write(code + ' ' + syscall));
      process.stdout.write('a');`;
    expect(execaSync('sh', ['-c', '"$0" -e "$1" >/dev/full', nodeBinary(), work]).stderr).toBe(
      'ENOSPC write',
    );
  });
});
