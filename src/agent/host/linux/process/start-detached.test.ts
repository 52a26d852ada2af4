import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { startDetached } from './start-detached.ts';

/** What a program sees of how it was started: its arguments, environment, session, group and output. */
const LOOK = `
files=$(readlink /proc/$$/fd/1 /proc/$$/fd/2)
{
  printf '%s|' "$0" "$@"
  env | sort | grep -E '^(A|EMPTY)='
  ps -o sid=,pgid= -p $$ | tr -s ' ' | sed "s/$$/own/g; s/^ //"
  echo "$files"
} >"$OUT.new" 2>&1
mv "$OUT.new" "$OUT"`;

it('starts a program in a session of its own, without output', async () => {
  const OUT = join(scratch(), 'out');
  const env = { PATH: process.env.PATH ?? '', A: 'b c', EMPTY: '', OUT };
  const { pid, ended, endInput } = startDetached('/bin/sh', ['-c', LOOK, 'name', 'one', 'two three'], env);
  expect(pid).toBeGreaterThan(1);
  await ended;
  endInput();
  expect(readFileSync(OUT, 'utf8')).toMatch(
    /^name\|one\|two three\|A=b c\nEMPTY=\nown own\n(?:\/dev\/null\n){2}$/,
  );
});

it('keeps its input open, and empty, until that is ended', async () => {
  const { ended, endInput } = startDetached('/bin/sh', ['-c', '[ -z "$(cat)" ]'], {});
  const over = ended.then(() => 'ended');
  expect(await Promise.race([over, delay(200, 'waits')])).toBe('waits');
  endInput();
  expect(await over).toBe('ended');
});

it('says that it could not start one', async () => {
  const { pid, ended, endInput } = startDetached('/no/such/program', [], {});
  expect(pid).toBeUndefined();
  await expect(ended).rejects.toMatchObject({
    errno: 'ENOEXEC',
    message: expect.stringMatching(/ENOENT/),
  });
  endInput();
});

it('starts none with an argument that the system would cut off', async () => {
  for (const [args, env] of [
    [['-c', 'true\0'], {}],
    [['-c', 'true'], { A: '\0' }],
  ] as const)
    await expect(startDetached('/bin/sh', args, env).ended).rejects.toMatchObject({ errno: 'ENOEXEC' });
});
