import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeTinyRoot, type TinyRoot } from '../../../../test/support/tiny-root.ts';
import { Redactor } from '../../../secrets/redact.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { ShellSession } from './shell-session.ts';

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)('ShellSession (real shell in a chroot; needs root)', () => {
  let root: TinyRoot;
  const printed: string[] = [];
  const never = new AbortController().signal;

  const open = (...shells: (string | undefined)[]) => openOn(createLinuxHost({ root: root.path }), ...shells);
  const written: string[] = [];
  const openOn = (host: Host, ...shells: (string | undefined)[]) =>
    new ShellSession(host, {
      name: 'test',
      items: shells.map((shell) => ({ shell })),
      env: { INSTANCE_ID: 'i-1' },
      written: () => written,
      redactor: () => new Redactor(),
      output: (line) => printed.push(line),
    });
  const file = (path: string) => readFileSync(join(root.path, path), 'utf8');

  beforeEach(() => {
    root = makeTinyRoot();
    printed.length = 0;
  });
  afterEach(() => root.remove());

  it('carries variables, functions and the directory from one command to the next', async () => {
    const session = open(
      'word=hello; greet() { echo "$word $1"; }; cd /tmp',
      'greet you; echo in $PWD >place',
      'echo $?',
    );
    for (const index of [0, 1, 2]) {
      expect(await session.run(index, never)).toMatchObject({ kind: 'ended', exitStatus: 0 });
    }
    await session.close();
    expect(printed).toEqual(['hello you', '0']);
    expect(file('tmp/place')).toBe('in /tmp\n');
  });

  it('begins ahead of the first command and runs nothing before its turn; closing ends it', async () => {
    const session = open('echo x >>/tmp/count');
    await session.begin(0);
    const { pid } = JSON.parse(file('run/slipway/exec/test/pid'));
    while (file('run/slipway/shell/test/marks') !== 'wait 0\n')
      await new Promise((resolve) => setTimeout(resolve, 5));
    await session.close();
    expect(() => process.kill(-pid, 0)).toThrow('ESRCH');
    const again = open('echo x >>/tmp/count');
    await again.begin(0);
    expect(await again.run(0, never)).toMatchObject({ kind: 'ended', exitStatus: 0 });
    await again.close();
    expect(file('tmp/count')).toBe('x\n');
  });

  it('tells each command its own exit status and output, and gives $? to the next', async () => {
    const session = open('echo one; (exit 3)', 'echo was $?');
    expect(await session.run(0, never)).toEqual({ kind: 'ended', exitStatus: 3, lines: ['one'] });
    expect(await session.run(1, never)).toEqual({ kind: 'ended', exitStatus: 0, lines: ['was 3'] });
    await session.close();
  });

  it.each([
    ['exit', 'exit 4', 4],
    ['set -e', 'set -e; false', 1],
    ['a syntax error', 'echo "unterminated', 2],
  ])('tells that %s ended the shell', async (_, shell, exitStatus) => {
    const session = open('true', shell, 'touch /tmp/never');
    await session.run(0, never);
    expect(await session.run(1, never)).toMatchObject({ kind: 'shell-ended', exitStatus });
    await session.close();
    expect(() => file('tmp/never')).toThrow();
  });

  it('tells that no command has begun where there is no shell', async () => {
    rmSync(join(root.path, 'bin/sh'));
    const session = open('touch /tmp/never', 'true');
    expect(await session.run(0, never)).toMatchObject({ kind: 'not-begun', exitStatus: 127 });
    await session.close();
  });

  it('prints no words of its own, neither when it is ended nor for a here-document without an end', async () => {
    const deadline = new AbortController();
    const session = open('cat <<END\nof the user', 'sleep 60');
    await session.run(0, never);
    await session.close();
    const ended = open('echo begun; sleep 60');
    const running = ended.run(0, deadline.signal);
    while (!printed.includes('begun')) await new Promise((resolve) => setTimeout(resolve, 5));
    deadline.abort();
    expect(await running).toMatchObject({ kind: 'shell-ended', lines: ['begun'] });
    await ended.close();
    expect(printed.filter((line) => /Terminated|__slipway|\/marks/.test(line))).toEqual([]);
    expect(printed).toContain('of the user');
  });

  it('keeps a trailing backslash from swallowing the next command', async () => {
    const session = open('echo first \\', 'echo second');
    await session.run(0, never);
    await session.run(1, never);
    await session.close();
    expect(printed).toEqual(['first', 'second']);
  });

  it('goes on with set -e after a command that failed inside an and-list', async () => {
    const session = open('set -e', 'false && true', 'echo still here');
    for (const index of [0, 1, 2]) await session.run(index, never);
    await session.close();
    expect(printed).toEqual(['still here']);
  });

  it('waits at the place of the agent itself and gives its exit status to the commands after it', async () => {
    const session = open('export PROXY=http://proxy:1', undefined, 'echo kubeadm said $?');
    await session.run(0, never);
    await session.waitBefore(1, never);
    expect(file(`${session.directory.slice(1)}/env`)).toContain('PROXY');
    await session.answer(1, 0);
    await session.run(2, never);
    await session.close();
    expect(printed).toEqual(['kubeadm said 0']);
  });

  it('is found by a later agent, which learns how the command ended meanwhile and runs nothing twice', async () => {
    const first = open('value=kept', 'echo x >>/tmp/count; sleep 0.3; echo done', 'echo $value');
    await first.run(0, never);
    void first.run(1, never);
    while ((await readOr(() => file('tmp/count'))) !== 'x\n')
      await new Promise((resolve) => setTimeout(resolve, 5));
    // The first agent is gone without a word; another one comes.
    const second = open('value=kept', 'echo x >>/tmp/count; sleep 0.3; echo done', 'echo $value');
    expect(await second.run(1, never)).toMatchObject({ kind: 'ended', exitStatus: 0 });
    expect(await second.run(2, never)).toMatchObject({ kind: 'ended', exitStatus: 0, lines: ['kept'] });
    await second.close();
    expect(file('tmp/count')).toBe('x\n');
  });

  it('starts a new shell with the saved environment where the old one was killed', async () => {
    const shells = ['export KEPT=yes; cd /tmp', 'echo $KEPT $PWD'] as const;
    const host = createLinuxHost({ root: root.path });
    const first = open(...shells);
    await first.run(0, never);
    const { pid } = JSON.parse(file('run/slipway/exec/test/pid'));
    process.kill(-pid, 'SIGKILL');
    while ((await host.processes.findDurable('test')) === 'running') await host.clock.sleep(5);
    const second = open(...shells);
    expect(await second.run(1, never)).toMatchObject({ kind: 'ended', lines: ['yes /tmp'] });
    await second.close();
  });

  it('takes no late word of an agent that is gone for leave to run the next command', async () => {
    const host = createLinuxHost({ root: root.path });
    const shells = ['true', undefined, 'echo kubeadm said $?'];
    const session = open(...shells);
    await session.run(0, never);
    await session.waitBefore(1, never);
    await host.files.tell(`${session.directory}/go`, '0 go', 10_000);
    await session.answer(1, 0);
    expect(await session.run(2, never)).toMatchObject({ kind: 'ended', lines: ['kubeadm said 0'] });
    await session.close();
  });

  it('goes on where the last word of an agent that was killed comes before that to leave', async () => {
    const host = createLinuxHost({ root: root.path });
    const shells = ['true', undefined, 'echo kubeadm said $?'];
    const first = open(...shells);
    await first.run(0, never);
    await first.waitBefore(1, never);
    const shell = JSON.parse(file('run/slipway/exec/test/pid')).pid;
    process.kill(-shell, 'SIGSTOP');
    await first.answer(1, 0);
    const { tell } = host.files;
    const files = { ...host.files, tell: (...words: Parameters<typeof tell>) => continued(tell(...words)) };
    const continued = (told: Promise<void>) => told.then(() => void process.kill(-shell, 'SIGCONT'));
    const late = openOn({ ...host, files }, ...shells);
    expect(await late.run(2, never)).toMatchObject({ kind: 'ended', lines: ['kubeadm said 0'] });
    await late.close();
  });

  it('begins another shell where the first one vanished before it had come to the command', async () => {
    const { processes, ...host } = createLinuxHost({ root: root.path });
    let starts = 0;
    const startDurable: typeof processes.startDurable = (spec) => {
      starts += 1;
      return processes.startDurable(starts > 1 ? spec : { ...spec, argv: ['/bin/sh', '-c', 'kill -9 0'] });
    };
    const session = openOn({ ...host, processes: { ...processes, startDurable } }, 'echo x >>/tmp/count');
    expect(await session.run(0, never)).toMatchObject({ kind: 'ended', exitStatus: 0 });
    await session.close();
    expect(file('tmp/count')).toBe('x\n');
    expect(starts).toBe(2);
  });

  it('keeps the state of the last command that ended, however often the shell is killed', async () => {
    const shells = ['export A=1', 'export B=2; set -C', 'export C=3; sleep 60', 'echo $A $B $C-'];
    const host = createLinuxHost({ root: root.path });
    const shell = (): number => JSON.parse(file('run/slipway/exec/test/pid')).pid;
    const kill = async () => {
      process.kill(-shell(), 'SIGKILL');
      while ((await host.processes.findDurable('test')) === 'running') await host.clock.sleep(5);
    };
    const first = open(...shells);
    await first.run(0, never);
    await first.run(1, never);
    void first.run(2, never);
    while (!file('run/slipway/shell/test/marks').includes('run 2')) await host.clock.sleep(5);
    const killed = String(shell());
    await kill();
    const second = open(...shells);
    void second.run(2, never);
    // Until there is another shell, the marks are those of the one that was killed.
    while ([killed, ''].includes(await readOr(() => String(shell())))) await host.clock.sleep(5);
    while (!file('run/slipway/shell/test/marks').includes('run 2')) await host.clock.sleep(5);
    await kill();
    const third = open(...shells);
    expect(await third.run(3, never)).toMatchObject({ kind: 'ended', lines: ['1 2 -'] });
    await third.close();
  });

  it('lets the shell come to its own end after the last command, and what it left running go on', async () => {
    const session = open("trap 'echo bye >/tmp/trap' EXIT", '(sleep 0.5; echo done >/tmp/left) &');
    await session.run(0, never);
    await session.run(1, never);
    await session.close();
    expect(file('tmp/trap')).toBe('bye\n');
    while ((await readOr(() => file('tmp/left'))) !== 'done\n')
      await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('has cloud-init-per for commands and the scripts that they call, with its files', async () => {
    root.remove();
    root = makeTinyRoot(['mkdir', 'date']);
    const again = "cloud-init-per instance set-up sh -c 'echo set up'";
    const shells = [
      ...[again, `sh -c "${again}"`, "'cloud-init-per' 'once' 'o' 'false'", 'cloud-init-per once o true'],
      ...['cloud-init-per always a echo always', 'cloud-init-per always a echo again'],
      ...['cloud-init-per once a/b true', 'cloud-init-per never a true', 'cloud-init-per once a'],
    ];
    const session = open(...shells);
    const statuses: unknown[] = [];
    for (const index of shells.keys()) {
      const end = await session.run(index, never);
      statuses.push(end.exitStatus);
    }
    await session.close();
    expect(statuses).toEqual([0, 0, 1, 0, 0, 0, 1, 1, 1]);
    expect(printed.slice(0, 3)).toEqual(['set up', 'always', 'again']);
    expect(file('var/lib/cloud/instances/i-1/sem/bootper.set_up.instance')).toMatch(/^0\t\d+\n$/);
    expect(file('var/lib/cloud/sem/bootper.o.once')).toMatch(/^1\t/);
    expect(file('var/lib/cloud/sem/bootper.a.always')).toMatch(/^0\t/);
  });

  it('has cloud-init-per for a script that only a file of the document names it in', async () => {
    root.remove();
    root = makeTinyRoot(['mkdir', 'date']);
    written.push('#!/bin/sh\ncloud-init-per once o echo from the file\n');
    writeFileSync(join(root.path, 'tmp/script'), written[0] ?? '', { mode: 0o755 });
    const session = open('/tmp/script');
    expect(await session.run(0, never)).toMatchObject({ exitStatus: 0, lines: ['from the file'] });
    await session.close();
    written.length = 0;
  });

  it('leaves an image its own cloud-init-per', async () => {
    writeFileSync(join(root.path, 'bin/cloud-init-per'), '#!/bin/sh\necho its own\n', { mode: 0o755 });
    const session = open('cloud-init-per once a true');
    expect(await session.run(0, never)).toMatchObject({ exitStatus: 0, lines: ['its own'] });
    await session.close();
  });

  it('ends what runs when the signal aborts', async () => {
    const session = open('echo begun; sleep 600');
    const controller = new AbortController();
    const running = session.run(0, controller.signal);
    while (!printed.includes('begun')) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await running).toMatchObject({ kind: 'shell-ended' });
    await session.close();
  });
});

async function readOr(read: () => string): Promise<string> {
  try {
    return read();
  } catch {
    return '';
  }
}
