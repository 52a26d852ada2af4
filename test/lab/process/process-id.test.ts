import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { alive, processId, self } from './process-id.ts';

it('knows this process, and not a later one with its number', () => {
  expect(alive(self())).toBe(true);
  expect(alive({ pid: self().pid, start: self().start - 1 })).toBe(false);
});

it('sees a process end', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const id = processId(child.pid ?? 0);
  if (id === undefined) throw new Error('the child is not in /proc');
  expect(alive(id)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(alive(id)).toBe(false);
});
