import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { byHandle, byModule, startDetached, TRIED } from './start-detached.ts';

/** What a program sees of how it was started: its arguments, environment, session, group and open files. */
const LOOK = `
files=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2; ls /proc/$$/fd)
{
  printf '%s|' "$0" "$@"
  env | sort | grep -v '^_='
  ps -o sid=,pgid= -p $$ | tr -s ' ' | sed "s/$$/own/g"
  echo "$files"
  pwd
} >"$OUT.new" 2>&1
mv "$OUT.new" "$OUT"`;

const ENV = { PATH: process.env.PATH ?? '', A: 'b c', EMPTY: '' };
const WAYS = {
  handle: (file: string, args: string[], env: Record<string, string>) =>
    byHandle(
      file,
      args,
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
    ),
  module: byModule,
};

it('starts a program as node:child_process does', async () => {
  const OUT = join(scratch(), 'out');
  const seen = [];
  for (const start of [WAYS.handle, WAYS.module]) {
    const { pid, ended } = start('/bin/sh', ['-c', LOOK, 'name', 'one', 'two three'], { ...ENV, OUT });
    expect(pid).toBeGreaterThan(1);
    await ended;
    seen.push(readFileSync(OUT, 'utf8'));
  }
  expect(seen[0]).toMatch(/^name\|one\|two three\|A=b c\nEMPTY=\n(?:.+\n)+ ?own own\n(?:\/dev\/null\n){3}/);
  expect(seen[0]).toBe(seen[1]);
});

it.each(Object.entries(WAYS))('says that it could not start one, by %s', async (_, start) => {
  const { pid, ended } = start('/no/such/program', [], {});
  expect(pid).toBeUndefined();
  await expect(ended).rejects.toMatchObject({
    errno: 'ENOEXEC',
    message: expect.stringMatching(/no such file or directory|ENOENT/),
  });
});

it('starts none with an argument that the system would cut off', async () => {
  for (const [args, env] of [
    [['-c', 'true\0'], {}],
    [['-c', 'true'], { A: '\0' }],
  ] as const)
    await expect(startDetached('/bin/sh', args, env).ended).rejects.toMatchObject({ errno: 'ENOEXEC' });
});

it('knows the Node.js that it is tried with', () => {
  expect(process.version).toBe(TRIED);
});
