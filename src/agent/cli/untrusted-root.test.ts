import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../test/support/tiny-root.ts';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { applyCommand } from './authors/apply.ts';
import { writeHostileProgram } from './fixtures/hostile-program.ts';
import { planCommand } from './plan.ts';

const listen = (server: Server, where: object | string) =>
  new Promise<void>((resolve) => server.listen(where as object, resolve));

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)(
  'an image that nobody vouches for',
  () => {
    let image: TinyRoot;
    let outside: string;
    let bystander: ChildProcess;
    let port: number;
    const servers: Server[] = [];

    beforeEach(async () => {
      image = makeTinyRoot(['perl']);
      outside = scratch();
      execFileSync('mknod', ['-m', '666', join(image.path, 'disk'), 'c', '1', '3']);
      bystander = spawn('sleep', ['300'], { stdio: 'ignore' });
      const abstract = `slipway-test-${process.pid}`;
      const [tcp, unix] = [
        createServer((socket) => socket.destroy()),
        createServer((socket) => socket.destroy()),
      ];
      servers.push(tcp, unix);
      await listen(tcp, { port: 0, host: '127.0.0.1' });
      await listen(unix, `\0${abstract}`);
      ({ port } = tcp.address() as AddressInfo);
      vi.stubEnv('SLIPWAY_TEST_SECRET', 'secret');
      for (const name of ['visudo', 'useradd', 'getent', 'evil-shell'])
        writeHostileProgram(image.path, name, { outside, pid: bystander.pid ?? 0, port, abstract });
    });
    afterEach(() => {
      vi.unstubAllEnvs();
      vi.restoreAllMocks();
      bystander.kill('SIGKILL');
      for (const server of servers.splice(0)) server.close();
      image.remove();
    });

    /** What a command tells on standard error. */
    async function told(userData: string, call: (file: string) => Promise<number>) {
      const file = join(scratch(), 'user-data');
      writeFileSync(file, userData);
      let text = '';
      const keep = (piece: unknown) => {
        text += String(piece);
        return true;
      };
      vi.spyOn(process.stderr, 'write').mockImplementation(keep as never);
      vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
      const status = await call(file);
      vi.restoreAllMocks();
      return { status, text };
    }

    /** A signal would have ended it by now, and its parent known of it. */
    const survives = async () => {
      await delay(100);
      return bystander.signalCode === null;
    };
    const leftBehind = () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .filter((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`97.${port}\0`);
          } catch {
            return false;
          }
        });
    const snapshot = () =>
      execFileSync('find', [image.path, '-printf', '%p %m %s %T@\n'], { encoding: 'utf8' });

    const USERS = '#cloud-config\nslipway: {kubeadm: none}\nusers: [{name: ann, sudo: "ALL=(ALL) ALL"}]\n';

    it('is asked by a plan without a way out, and without being changed', async () => {
      const before = snapshot();
      const { status, text } = await told(USERS, (userData) =>
        planCommand({ userData, root: image.path, output: 'text' }),
      );
      expect({ status, text }).toEqual({
        status: 0,
        text: expect.stringContaining('visudo says "out by []'),
      });
      expect(readdirSync(outside)).toEqual([]);
      expect(snapshot()).toBe(before);
      expect([await survives(), leftBehind()]).toEqual([true, []]);
    });

    it('has its useradd called by apply without a way out', async () => {
      const { status, text } = await told(USERS, (file) => applyCommand(file, { root: image.path }));
      expect({ status, text }).toEqual({ status: 1, text: expect.stringContaining('out by []') });
      expect(readdirSync(outside)).toEqual([]);
      expect([await survives(), leftBehind()]).toEqual([true, []]);
    });

    it('is left without users by apply where the namespaces cannot be made, which says so before it changes anything', async () => {
      symlinkSync('bin', join(image.path, 'slipway-test-bin'));
      vi.stubEnv('PATH', '/slipway-test-bin');
      const etc = () => readdirSync(join(image.path, 'etc')).sort();
      const before = etc();
      const text = `${USERS}write_files: [{path: /etc/made, content: x}]\n`;
      const whole = await told(text, (file) => applyCommand(file, { root: image.path }));
      expect(whole).toEqual({
        status: 2,
        text: expect.stringMatching(
          /error: create 1 user: this needs programs of the image.*unshare[\s\S]*nothing was changed/,
        ),
      });
      expect(etc()).toEqual(before);
      const partly = await told(text, (file) => applyCommand(file, { root: image.path, partly: true }));
      expect([partly.status, readFileSync(join(image.path, 'etc/made'), 'utf8')]).toEqual([0, 'x']);
      expect(readdirSync(outside)).toEqual([]);
    });

    it('is not asked where the namespaces cannot be made: a plan says what is not known', async () => {
      // Only the image has this folder, so nothing of the host is found in it.
      symlinkSync('bin', join(image.path, 'slipway-test-bin'));
      vi.stubEnv('PATH', '/slipway-test-bin');
      const { status, text } = await told(USERS, (userData) =>
        planCommand({ userData, root: image.path, output: 'text' }),
      );
      expect({ status, text }).toEqual({
        status: 0,
        text: expect.stringMatching(/no program was asked \(.*visudo.*\).*unshare.*\[ImageNotAsked\]/),
      });
      expect(readdirSync(outside)).toEqual([]);
    });
  },
);
