import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, lstatSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../../../test/support/tiny-root.ts';
import { createLinuxHost } from '../host.ts';

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'programs of a root in a sandbox',
  () => {
    let image: TinyRoot;
    beforeEach(() => {
      image = makeTinyRoot(['id', 'chown', 'ls', 'mkdir', 'useradd', 'groupadd', 'readlink', 'head']);
    });
    afterEach(() => image.remove());

    const host = (programs: 'ask' | 'change') => createLinuxHost({ root: image.path, programs });
    const run = (
      programs: 'ask' | 'change',
      script: string,
      more: { input?: string; timeoutMs?: number } = {},
    ) => host(programs).processes.run({ argv: ['sh', '-c', script], ...more });

    it('see themselves as root, and get input, arguments and variables', async () => {
      const { processes } = host('ask');
      const result = await processes.run({
        argv: ['sh', '-c', 'id -u; cat; echo "$1 $LC_ALL"; echo said >&2; exit 7', 'sh', "a b'"],
        env: { LC_ALL: 'C', PATH: undefined },
        input: 'in\n',
      });
      expect(result).toMatchObject({
        exitStatus: 7,
        stdout: "0\nin\na b' C\n",
        stderr: 'said\n',
        timedOut: false,
      });
      expect(processes.sandbox?.unasked()).toEqual([]);
    });

    it('change nothing where they are only asked', async () => {
      const { exitStatus, stderr } = await run('ask', 'echo x >/etc/new');
      expect([exitStatus, stderr]).toEqual([expect.any(Number), expect.stringMatching(/[Rr]ead-only/)]);
      expect(exitStatus).not.toBe(0);
    });

    it('give files the owners that the image means', async () => {
      const { exitStatus } = await run(
        'change',
        'echo x >/etc/new && chown 1234:70000 /etc/new && mkdir /opt',
      );
      expect(exitStatus).toBe(0);
      expect(lstatSync(join(image.path, 'etc/new'))).toMatchObject({ uid: 1234, gid: 70000 });
      expect(lstatSync(join(image.path, 'opt'))).toMatchObject({ uid: 0, gid: 0 });
    });

    it('make a user with a home, as useradd of the image does', async () => {
      for (const name of ['shadow', 'gshadow', 'login.defs'])
        writeFileSync(join(image.path, 'etc', name), '', { mode: 0 });
      for (const name of ['etc/skel', 'home']) mkdirSync(join(image.path, name));
      writeFileSync(join(image.path, 'etc/skel/.profile'), 'x');
      const { exitStatus, stderr } = await host('change').processes.run({
        argv: ['useradd', '--create-home', '--uid', '4321', '--user-group', 'ann'],
      });
      expect([exitStatus, stderr]).toEqual([0, expect.any(String)]);
      expect(readFileSync(join(image.path, 'etc/passwd'), 'utf8')).toContain('\nann:x:4321:');
      for (const path of ['home/ann', 'home/ann/.profile'])
        expect(lstatSync(join(image.path, path)).uid, path).toBe(4321);
      expect(lstatSync(join(image.path, 'etc/passwd'))).toMatchObject({ uid: 0, gid: 0 });
    });

    it('have devices that do nothing, and none of the image’s', async () => {
      execFileSync('mknod', ['-m', '666', join(image.path, 'disk'), 'c', '1', '5']);
      const { stdout, stderr } = await run(
        'change',
        'echo x >/dev/null && head -c 2 /dev/zero | wc -c; ls /proc /sys; head -c 1 /disk; chown 5 /dev/null; rm /dev/zero',
      );
      expect(stdout).toBe('2\n/proc:\n');
      expect(stderr).toMatch(/disk.*Permission denied[\s\S]*null.*Read-only[\s\S]*zero.*Read-only/);
      expect(lstatSync('/dev/null').uid).toBe(0);
    });

    it('have none of what the host has mounted into the root for a chroot', async () => {
      const proc = join(image.path, 'proc');
      execFileSync('mount', ['--bind', '/proc', proc]);
      try {
        const { stdout, exitStatus } = await run('change', 'ls /proc; echo x >/proc/x');
        expect([stdout, exitStatus]).toEqual(['', expect.any(Number)]);
        expect(exitStatus).not.toBe(0);
      } finally {
        execFileSync('umount', [proc]);
      }
    });

    it('inherit no descriptor of whoever called the agent', () => {
      const host = pathToFileURL(join(import.meta.dirname, '../host.ts'));
      const script = `
      import { createLinuxHost } from ${JSON.stringify(host)};
      const { processes } = createLinuxHost({ root: process.argv[1], programs: 'ask' });
      const { stdout } = await processes.run({ argv: ['sh', '-c', 'for n in 3 7 ' + process.argv[2] + '; do (eval "cat <&$n") 2>/dev/null; done; echo end'] });
      console.log(stdout);`;
      const secret = join(image.path, 'etc/secret');
      writeFileSync(secret, 'secret\n');
      // Node.js itself starts the caller with these.
      const descriptor = openSync(secret, 'r');
      const stdio = Array.from({ length: 8 }, (_, at) =>
        at === 7 ? descriptor : at === 1 ? 'pipe' : 'ignore',
      );
      const words = ['--input-type=module', '-e', script, image.path];
      const { stdout } = spawnSync(process.execPath, [...words, '9'], {
        stdio: stdio as 'pipe'[],
        encoding: 'utf8',
      });
      const through = spawnSync(
        'bash',
        ['-c', 'exec "$0" "$@" 45 45<"$SECRET"', process.execPath, ...words],
        {
          encoding: 'utf8',
          env: { ...process.env, SECRET: secret },
        },
      );
      closeSync(descriptor);
      expect([stdout, through.stdout]).toEqual(['end\n\n', 'end\n\n']);
    });

    it('say 127 where there is no such program, and end with their group at the time limit', async () => {
      const { processes } = host('ask');
      expect(await processes.run({ argv: ['no-such-program'] })).toMatchObject({ exitStatus: 127 });
      const late = await run('ask', "trap '' TERM; sleep 50 & sleep 51", { timeoutMs: 500 });
      expect(late.timedOut).toBe(true);
      expect(late.ms).toBeLessThan(4000);
    });

    it('are named where they could not be started', async () => {
      writeFileSync(join(image.path, 'bin/foreign'), 'no program', { mode: 0o644 });
      const { processes } = host('ask');
      await processes.run({ argv: ['/bin/foreign'] });
      expect(processes.sandbox?.unasked()).toEqual(['/bin/foreign']);
      await expect(processes.startDurable({ name: 'a', argv: ['sh'] })).rejects.toThrow(/not in an image/);
    });
  },
);
