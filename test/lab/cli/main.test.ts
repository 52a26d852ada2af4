import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostBoot, labDir, USER_LAB, writeRecord } from '../lab-record.ts';
import { processId } from '../process/process-id.ts';
import { main } from './main.ts';
import { program } from './program.ts';

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

  it('leaves its examples as they are, however narrow the terminal is', () => {
    program(() => {})
      .configureOutput({ getOutHelpWidth: () => 60 })
      .outputHelp();
    expect(said).toContain('\n  npm run lab -- reboot cp1 --hard       as if the power went\n');
    const introduction = said.slice(0, said.indexOf('Options:'));
    for (const line of introduction.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
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

  it('leaves the control plane where it is when the last machine goes down, and says so', async () => {
    const holder = execa('sleep', ['600'], { reject: false });
    try {
      const id = processId(holder.pid ?? 0) ?? { pid: 0, start: 0 };
      await mkdir(join(labDir(USER_LAB), 'machines/cp1'), { recursive: true });
      await mkdir(join(labDir(USER_LAB), 'control-plane'));
      await writeRecord({ id: USER_LAB, owner: null, holder: id, hostBoot: hostBoot() });
      const machine = { lab: USER_LAB, name: 'cp1', ip: '10.99.0.11', role: 'worker', cloudInit: false };
      await writeFile(join(labDir(USER_LAB), 'machines/cp1/machine.json'), JSON.stringify(machine));
      expect(await main(['down', 'cp1'])).toBe(0);
      expect(said).toBe('the control plane stays; `npm run lab -- down --all` takes it away too\n');
      expect(existsSync(join(labDir(USER_LAB), 'machines/cp1'))).toBe(false);
      expect(existsSync(join(labDir(USER_LAB), 'control-plane'))).toBe(true);
      expect(await main(['down', '--all'])).toBe(0);
      expect(existsSync(labDir(USER_LAB))).toBe(false);
      expect((await holder).signal).toBe('SIGKILL');
    } finally {
      holder.kill('SIGKILL');
    }
  });

  it('lists nothing where nothing is', async () => {
    expect(await main(['ls'])).toBe(0);
    expect(said.trim().split('\n')).toHaveLength(1);
  });
});
