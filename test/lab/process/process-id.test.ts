import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { expect, it, vi } from 'vitest';
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

it('takes a process for alive whose first thread is over and whose others go on', async () => {
  const program = [
    'import ctypes, threading, time',
    'threading.Thread(target=time.sleep, args=(60,)).start()',
    'print("up", flush=True)',
    'ctypes.CDLL(None).pthread_exit(None)',
  ];
  const child = execa('python3', ['-c', program.join('\n')], { reject: false });
  const id = processId(child.pid ?? 0);
  if (id === undefined) throw new Error('the child is not in /proc');
  try {
    const isZombie = () => readFileSync(`/proc/${id.pid}/stat`, 'utf8').includes(') Z ');
    await vi.waitUntil(isZombie, { timeout: 20_000, interval: 10 });
    expect(alive(id)).toBe(true);
  } finally {
    child.kill('SIGKILL');
    await child;
  }
  expect(alive(id)).toBe(false);
});
