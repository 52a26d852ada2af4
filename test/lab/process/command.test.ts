import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LabError, run, runOk } from './command.ts';
import { processId } from './process-id.ts';
import { waitFor } from './wait-for.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-command-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** A shell and a grandchild, whose numbers it writes down. */
const FAMILY = 'sleep 600 & echo $$ $! >"$DIR/pids"; echo begun; wait';
const pids = (): number[] => readFileSync(join(dir, 'pids'), 'utf8').trim().split(' ').map(Number);
const gone = () =>
  waitFor(async () => pids().every((pid) => processId(pid) === undefined), {
    timeoutMs: 20_000,
    what: 'the family to be gone',
  });

it('gives exit status, signal, input and both streams as they are', async () => {
  expect(await run('sh', ['-c', 'cat; echo no >&2; exit 7'], { input: 'yes\n' })).toEqual({
    code: 7,
    signal: null,
    stdout: 'yes\n',
    stderr: 'no\n',
  });
  expect(await run('sh', ['-c', 'kill -9 $$'])).toMatchObject({ code: null, signal: 'SIGKILL' });
  // Who ends without reading its input may.
  expect(await run('true', [], { input: 'x'.repeat(1 << 20) })).toMatchObject({ code: 0 });
  expect(await runOk('env', [], { env: { ONLY: 'this' } })).toBe('ONLY=this\n');
});

it('throws a sentence where a program cannot be started, or fails', async () => {
  await expect(run('/no/such-program', [])).rejects.toThrow(/^cannot start `\/no\/such-program `: .*ENOENT/);
  await expect(runOk('sh', ['-c', 'echo why >&2; exit 3'])).rejects.toThrow(
    /ended with exit status 3:\nwhy$/,
  );
});

it('kills all that a program started when its time is over', async () => {
  const late = run('sh', ['-c', FAMILY], { env: { PATH: process.env.PATH, DIR: dir }, timeoutMs: 1000 });
  await expect(late).rejects.toThrow(LabError);
  await expect(late).rejects.toThrow(/did not end within 1000 ms; it last said:\nbegun$/);
  await gone();
});

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'leaves nothing behind when %s ends this process',
  async (signal) => {
    const program = `
import { run } from ${JSON.stringify(join(import.meta.dirname, 'command.ts'))};
const begun = (text) => process.stdout.write(text);
await run('sh', ['-c', ${JSON.stringify(FAMILY)}], { timeoutMs: 600_000, onOutput: begun });`;
    const child = execa(process.execPath, ['--input-type=module', '--eval', program], {
      env: { DIR: dir },
      reject: false,
      killSignal: 'SIGKILL',
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill(signal);
    expect((await child).signal).toBe(signal);
    await gone();
  },
);
