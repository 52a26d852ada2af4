import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary, projectVersion, root } from '../project.ts';
import { differencesFromUpstream } from './base/same-node.ts';
import { buildBinary } from './binary.ts';

describe.runIf(process.platform === 'linux' && process.arch === 'x64')('buildBinary', () => {
  let folder: string;
  let binary: string;
  let answer: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-binary-'));
    binary = join(folder, 'slipway');
    const [bundle, licenses] = [join(folder, 'slipway.cjs'), join(folder, 'LICENSES.txt')];
    answer = await buildBinary('linux-x64', { binary, bundle, licenses });
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (program: string, words: string[], PATH = folder) =>
    execaSync(program, words, {
      reject: false,
      stripFinalNewline: false,
      extendEnv: false,
      env: { PATH },
      timeout: 100_000,
    });

  const run = (program: string, ...words: string[]) => {
    const { exitCode: status, stdout, stderr } = start(program, words);
    return { status, stdout, stderr };
  };

  it('leaves the binary, the bundle and the licences, nothing else', () => {
    expect(readdirSync(folder).sort()).toEqual(['LICENSES.txt', 'slipway', 'slipway.cjs']);
  });

  it('says what it is', () => {
    expect(answer).toMatch(
      new RegExp(`^slipway ${projectVersion()} \\(commit (\\w{12}|unknown), Node.js v24\\.`),
    );
    expect(run(binary, '--version')).toEqual({ status: 0, stdout: `${answer}\n`, stderr: '' });
    expect(JSON.parse(run(binary, 'version', '--output', 'json').stdout)).toMatchObject({
      version: projectVersion(),
    });
  });

  it("holds the Node.js of npm's package, stripped, and nothing else but the agent", () => {
    expect(differencesFromUpstream(readFileSync(nodeBinary()), readFileSync(binary))).toEqual([]);
  });

  it.each([
    [['version'], 1],
    [['explain', 'Unclassified'], 2],
  ])(
    'leaves a variable that turns Node.js to nobody, and starts twice only where it could count: %s',
    (words, starts) => {
      // The dynamic linker tells of each program that it starts.
      const env = { PATH: folder, LD_DEBUG: 'files', NODE_EXTRA_CA_CERTS: '/nonexistent' };
      const { exitCode, stderr } = execaSync(binary, words, { extendEnv: false, env });
      expect(exitCode).toBe(0);
      expect(stderr.match(/initialize program: /g)).toHaveLength(starts);
      expect(stderr).not.toContain('extra certs');
    },
  );

  it('carries the licences of what others wrote in it', () => {
    const { status, stdout, stderr } = run(binary, 'licenses');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toBe(readFileSync(join(folder, 'LICENSES.txt'), 'utf8'));
    for (const part of ['Slipway (Apache-2.0)', '  commander ', '  js-yaml ', '  Node.js 24.'])
      expect(stdout).toContain(part);
  });

  it.runIf(process.getuid?.() === 0)('installs itself in an image, twice the same (needs root)', () => {
    const image = join(folder, 'image');
    expect(run(binary, 'install', '--root', image, '--service')).toMatchObject({
      status: 2,
      stderr: `slipway: --root ${image}: there is no such directory\n`,
    });
    const installed = join(image, 'usr/local/bin/slipway');
    const shim = join(image, 'usr/local/bin/kubeadm');
    const units = join(image, 'etc/systemd/system');
    mkdirSync(join(image, 'usr/local/bin'), { recursive: true });
    writeFileSync(shim, 'the real one');
    expect(run(binary, 'install', '--root', image, '--shim')).toMatchObject({ status: 2, stdout: '' });
    expect(readdirSync(join(image, 'usr/local/bin'))).toEqual(['kubeadm']);
    rmSync(shim);
    for (let time = 1; time <= 2; time += 1) {
      const { status, stderr } = run(binary, 'install', '--root', image, '--shim', '--service');
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(readlinkSync(shim)).toBe('slipway');
      const unit = join(units, 'slipway.service');
      expect(readFileSync(unit, 'utf8')).toContain('ExecStart=/usr/local/bin/slipway bootstrap\n');
      expect(realpathSync(join(units, 'multi-user.target.wants/slipway.service'))).toBe(realpathSync(unit));
      expect(statSync(installed).mode & 0o7777).toBe(0o755);
      expect(run(installed, 'version').stdout).toBe(`${answer}\n`);
    }
    // Without --service nothing in this image would call kubeadm.
    expect(run(binary, 'install', '--root', image, '--shim')).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^slipway: warning: there is no enabled cloud-init here/),
    });
    rmSync(image, { recursive: true });
  });

  it('runs the agent behind the launcher', () => {
    const userData = join(folder, 'user-data');
    writeFileSync(userData, '#cloud-config\nslipway: {kubeadm: none}\nruncmd:\n- "echo {a: ü}"\n');
    const { status, stdout, stderr } = run(binary, 'plan', '--user-data', userData);
    rmSync(userData);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('echo {a: ü}');
    expect(run(binary, 'nonsense')).toMatchObject({ status: 2, stdout: '' });
  });

  it('runs the reporter from a bundle of its own, and leaves what it has to ask about to the whole agent', () => {
    const root = join(folder, 'reporting');
    mkdirSync(join(root, 'etc/slipway'), { recursive: true });
    const config = join(root, 'etc/slipway/config.yaml');
    writeFileSync(config, 'report: {enabled: false}\n');
    expect(run(binary, 'report', '--root', root)).toEqual({
      status: 0,
      stdout: 'over: reporting is switched off (report.enabled)\n',
      stderr: '',
    });
    writeFileSync(config, 'report: {enabeld: false}\n');
    expect(run(binary, 'report', '--check', `--root=${root}`)).toMatchObject({
      stderr: expect.stringContaining('config.yaml:1:10'),
    });
    rmSync(root, { recursive: true });
    expect(run(binary, 'report', '--rot', '/')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining("unknown option '--rot'"),
    });
    expect(run(binary, 'report', '--help').stdout).toContain('Usage: slipway report');
  });

  it('is the shim under the name kubeadm, for the version too', () => {
    const kubeadm = join(folder, 'kubeadm');
    symlinkSync(binary, kubeadm);
    // It stands in PATH itself, and must not take itself for the real one.
    const { status, stdout, stderr } = run(kubeadm, 'version');
    rmSync(kubeadm);
    expect({ status, stdout }).toEqual({ status: 127, stdout: '' });
    expect(stderr).toContain('[KubeadmNotFound]');
  });

  it('does not call a second Slipway named kubeadm for ever', () => {
    const folders = ['first', 'second'].map((name) => join(folder, name));
    for (const place of folders) {
      mkdirSync(place);
      linkSync(binary, join(place, 'kubeadm'));
    }
    const [first = '', second = ''] = folders.map((place) => join(place, 'kubeadm'));
    const { exitCode, signal, stdout, stderr } = start(first, ['version'], folders.join(':'));
    for (const place of folders) rmSync(place, { recursive: true });
    expect({ exitCode, signal, stdout }).toEqual({ exitCode: 127, signal: undefined, stdout: '' });
    expect(stderr).toMatch(`${first} took ${second} for the real kubeadm, but that is Slipway too.`);
  });

  it('ends quietly when nobody reads on', () => {
    const shell = (script: string) => run('/bin/sh', '-c', script, binary);
    expect(shell('"$0" explain | /usr/bin/head -n 1; "$0" --help | :')).toMatchObject({
      status: 0,
      stderr: '',
    });
    const full = '"$0" version | (exec 0<&-; /bin/sleep 1); "$0" version >/dev/full';
    expect(shell(full)).toMatchObject({
      status: 1,
      stderr: 'slipway: cannot print: no space left on device\n',
    });
  });

  it('shows no folder of the machine that built it', () => {
    const content = readFileSync(binary);
    expect([content.includes(root), content.includes(folder)]).toEqual([false, false]);
  });
});
