import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from './main.ts';

let dir: string;
let said: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lab-cli-'));
  vi.stubEnv('SLIPWAY_LAB_CACHE', dir);
  said = '';
  const hear = (text: string | Uint8Array): boolean => {
    said += text.toString();
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(hear);
  vi.spyOn(process.stderr, 'write').mockImplementation(hear);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true });
});

describe('the command line', () => {
  it('explains itself', async () => {
    expect(await main(['--help'])).toBe(0);
    for (const word of [
      'prepare',
      'up',
      'exec',
      'logs',
      'reboot',
      'down',
      'ls',
      'gc',
      'control-plane',
      'self-check',
    ]) {
      expect(said).toContain(word);
    }
  });

  it.each([[['up']], [['no-such-command']], [['up', 'a', '--role', 'king']], [['reboot', 'a', '--gently']]])(
    'refuses %j with status 2',
    async (args) => {
      expect(await main(args)).toBe(2);
      expect(said).toContain('error:');
    },
  );

  it('says in one sentence that there is nothing to act on', async () => {
    // The options behind the machine's name belong to the command inside, not to the lab.
    expect(await main(['exec', 'cp1', 'ls', '--hard'])).toBe(1);
    expect(said).toMatch(/^lab: no machine is up; `npm run lab -- up NAME` makes one\n$/);
  });

  it('lists nothing where nothing is', async () => {
    expect(await main(['ls'])).toBe(0);
    expect(said.trim().split('\n')).toHaveLength(1);
  });
});
