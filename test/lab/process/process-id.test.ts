import { execa } from 'execa';
import { expect, it } from 'vitest';
import { alive, processId, self } from './process-id.ts';

it('knows this process, and not a later one with its number', () => {
  expect(alive(self())).toBe(true);
  expect(alive({ pid: self().pid, start: self().start - 1 })).toBe(false);
});

it('sees a process end', async () => {
  const child = execa('sleep', ['60'], { reject: false });
  const id = processId(child.pid ?? 0);
  if (id === undefined) throw new Error('the child is not in /proc');
  expect(alive(id)).toBe(true);
  child.kill('SIGKILL');
  await child;
  expect(alive(id)).toBe(false);
});
