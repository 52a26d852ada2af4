import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { addAuthorizedKeys } from './ssh-keys.ts';

const ALICE = 54_321;
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPlanted alice';
/** Puts a link in the place of a directory that is missing, and takes it away, until somebody ends it. */
const SWAP = `
const { mkdirSync, renameSync, rmSync, symlinkSync } = require('node:fs');
const [home, victim] = process.argv.slice(1);
process.chdir(home);
const quietly = (work) => { try { work(); } catch {} };
const turns = (most) => { for (let rest = Math.random() * most; rest > 0; rest--) Math.sqrt(rest); };
symlinkSync(victim, 'link');
process.stdout.write('ready');
for (let round = 0; ; round++) {
  turns(500_000);
  quietly(() => renameSync('link', '.ssh'));
  turns(500_000);
  quietly(() => renameSync('.ssh', 'link'));
  quietly(() => rmSync('.ssh', { recursive: true }));
  if (round % 3 === 0) quietly(() => mkdirSync('.ssh', { mode: 0o700 }));
}`;

describe.runIf(process.getuid?.() === 0)('SSH keys in a home directory (needs root)', () => {
  let base: string;
  let home: string;
  let victim: string;
  let child: ChildProcess | undefined;
  beforeEach(() => {
    base = scratch();
    chmodSync(base, 0o755);
    home = join(base, 'alice');
    victim = join(base, 'victim');
    mkdirSync(home);
    chownSync(home, ALICE, ALICE);
    mkdirSync(victim);
  });
  afterEach(async () => {
    if (child && child.exitCode === null) {
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    }
    child = undefined;
  });
  const add = () =>
    addAuthorizedKeys(createLinuxHost(), { name: 'alice', uid: ALICE, gid: ALICE, home }, [KEY]);

  it('never get into a directory that the user puts in the place of .ssh, however fast', async () => {
    const running = spawn(process.execPath, ['-e', SWAP, home, victim], {
      ...{ uid: ALICE, gid: ALICE, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    child = running;
    await new Promise((resolve) => running.stdout?.once('data', resolve));
    for (let attempt = 0; attempt < 1_000; attempt++) {
      await add().catch(() => undefined);
      if (attempt % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(readdirSync(victim)).toEqual([]);
    expect(statSync(victim).uid).toBe(0);
    expect(readdirSync(base).sort()).toEqual(['alice', 'victim']);
  });

  it('are not waited for where the user has a pipe, and the words say so', async () => {
    mkdirSync(join(home, '.ssh'));
    execFileSync('mkfifo', [join(home, '.ssh/authorized_keys')]);
    await expect(add()).rejects.toMatchObject({
      code: 'UserNotCreated',
      message: expect.stringMatching(/authorized_keys: is not a regular file$/),
    });
  });

  it('are the user’s own, file and directory', async () => {
    await add();
    const told = [join(home, '.ssh'), join(home, '.ssh/authorized_keys')].map((path) => {
      const { uid, gid, mode } = statSync(path);
      return `${uid}:${gid} ${(mode & 0o777).toString(8)}`;
    });
    expect(told).toEqual([`${ALICE}:${ALICE} 700`, `${ALICE}:${ALICE} 600`]);
  });
});
