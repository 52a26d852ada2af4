import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '../project.ts';
import { stripBinary } from './base/strip.ts';
import { pack } from './pack.ts';

/** Says what a packed program sees of its start, or becomes another program. */
const PROBE = `
const words = process.argv.slice(2);
if (words[0] === 'become') process.execve(words[1], words.slice(1), process.env);
process.finalization.registerBeforeExit({}, () => {}); // experimental: a plain Node.js says so on standard error
console.log(JSON.stringify({ argv0: process.argv0, words, execArgv: process.execArgv }));
`;

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('pack', () => {
  let folder: string;
  let program: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-pack-'));
    const probe = join(folder, 'probe.cjs');
    const node = join(folder, 'node');
    program = join(folder, 'program');
    writeFileSync(probe, PROBE);
    stripBinary(nodeBinary(), node);
    pack({ main: probe, node, output: program });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (words: string[], options: { env?: Record<string, string>; input?: string } = {}) =>
    execaSync(program, words, { ...options, reject: false, stripFinalNewline: false });

  it('runs without a word on standard error, also where an experimental module is used', () => {
    const { exitCode, stdout, stderr } = run(['a', '--b']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ words: ['a', '--b'] });
  });

  it('knows the name it was called by', () => {
    const link = join(folder, 'kubeadm');
    symlinkSync(program, link);
    const answer: unknown = JSON.parse(execaSync(link, ['init', '--config', 'x']).stdout);
    expect(answer).toMatchObject({ argv0: link, words: ['init', '--config', 'x'] });
  });

  it('listens to no NODE_OPTIONS and takes no option of Node.js from its arguments', () => {
    for (const NODE_OPTIONS of ['--bogus', '--require /nonexistent.js', '--inspect-brk=0']) {
      const { exitCode, stdout, stderr } = run(['--node-options=--bogus', '--inspect'], {
        env: { NODE_OPTIONS },
      });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({
        words: ['--node-options=--bogus', '--inspect'],
        execArgv: ['--disable-warning=ExperimentalWarning', '--openssl-config=/dev/null'],
      });
    }
  });

  it('becomes another program with its input, output, exit status and environment', () => {
    const script = 'cat; echo "$NODE_OPTIONS" >&2; exit 7';
    const { exitCode, stdout, stderr } = run(['become', '/bin/sh', '-c', script], {
      input: 'in',
      env: { NODE_OPTIONS: 'kept' },
    });
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 7, stdout: 'in', stderr: 'kept\n' });
  });

  it('becomes another program in the same process, which a signal ends', async () => {
    const child = execa(program, ['become', '/bin/sh', '-c', 'echo $$; exec sleep 60'], { reject: false });
    for await (const pid of child) {
      expect(Number(pid)).toBe(child.pid);
      child.kill('SIGTERM');
    }
    const { exitCode, signal } = await child;
    expect({ exitCode, signal }).toEqual({ exitCode: undefined, signal: 'SIGTERM' });
  });

  it('shows no folder of the machine that built it', () => {
    expect(readFileSync(program).includes(folder)).toBe(false);
  });
});
