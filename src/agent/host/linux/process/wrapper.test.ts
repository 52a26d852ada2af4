import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { identifyProcess } from './process-table.ts';
import { WRAPPER } from './wrapper.ts';

describe.each(['sh', 'bash', 'busybox sh'].filter(isThere))('the wrapper in %s', (shell) => {
  let dir: string;
  beforeEach(() => {
    dir = scratch();
  });

  const start = () => {
    const [program = '', ...args] = shell.split(' ');
    const child = spawn(program, [...args, '-c', WRAPPER, 'slipway-run', dir, 'touch', join(dir, 'ran')], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', (status) => resolve(status)));
    const note = JSON.stringify(identifyProcess(child.pid ?? 0));
    const endInput = () => child.stdin.destroy();
    return { ended, endInput, note };
  };
  const ran = () => existsSync(join(dir, 'ran'));
  const status = () => readFileSync(join(dir, 'status'), 'utf8');

  it('runs the program when it is noted and its input ends, and not before', async () => {
    const { ended, endInput, note } = start();
    await delay(100);
    expect(ran()).toBe(false);
    writeFileSync(join(dir, 'pid'), note);
    await delay(100);
    expect(ran()).toBe(false);
    endInput();
    expect(await ended).toBe(0);
    expect(ran()).toBe(true);
    expect(status()).toBe('0\n');
  });

  it.each([
    ['of an agent that died before its note', () => undefined],
    ['with a note that a full disk has torn', (note: string) => note.slice(0, -1)],
    ['with the note of another shell', () => '{"pid":1,"startTime":"7"}'],
    ['with the note of a shell whose number begins alike', (note: string) => note.replace(',', '0,')],
  ])('runs nothing %s', async (_, noteOf) => {
    const { ended, endInput, note } = start();
    const text = noteOf(note);
    if (text !== undefined) writeFileSync(join(dir, 'pid'), text);
    endInput();
    expect(await ended).toBe(125);
    expect(ran()).toBe(false);
    expect(existsSync(join(dir, 'status'))).toBe(false);
  });
});

function isThere(shell: string): boolean {
  const [program = '', ...args] = shell.split(' ');
  return spawnSync(program, [...args, '-c', ':']).status === 0;
}
