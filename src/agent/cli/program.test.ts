import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { sourceOptions } from './options/options.ts';
import { run } from './program.ts';

let folder: string;
let userData: string;
const printed = { stdout: '', stderr: '' };
beforeEach(() => {
  folder = scratch();
  userData = join(folder, 'user-data');
  for (const stream of ['stdout', 'stderr'] as const) {
    const take = (text: unknown) => {
      printed[stream] += String(text);
      return true;
    };
    vi.spyOn(process[stream], 'write').mockImplementation(take);
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});

const ask = async (...words: string[]) => {
  Object.assign(printed, { stdout: '', stderr: '' });
  return { status: await run(words), ...printed };
};

it.each(['text', 'json', 'sarif'])('a check tells no secret that stands for a name: %s', async (output) => {
  const token = `ghp_${'0123456789abcdef'.repeat(2)}`;
  writeFileSync(userData, `#cloud-config\n${token}: 1\n`);
  const { status, stdout } = await ask('check', userData, '--output', output);
  expect(status).toBe(1);
  expect(stdout).toContain('[redacted] is not known');
  expect(stdout).not.toContain(token);
});

describe('a command line', () => {
  it('with an option that would do nothing is refused', async () => {
    expect(await ask('status', '--root', folder, '--timeout', '5s')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'slipway: --timeout says how long to wait, so it needs --wait\n',
    });
    expect(await ask('version', '--output', 'xml')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'slipway: --output xml: give text or json\n',
    });
    expect((await ask('version', '--bogus')).status).toBe(2);
  });

  it.each([['bootstrap', '--user-data', '/x'], ['plan'], ['status'], ['report'], ['install', '--shim']])(
    'whose --root is empty is refused: %s',
    async (...words) => {
      expect(await ask(...words, '--root', '')).toEqual({
        status: 2,
        stdout: '',
        stderr: 'slipway: --root: its name is empty; is a variable not set?\n',
      });
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.each([
    ['missing', 'there is no such directory'],
    ['user-data', 'is no directory'],
  ])('whose --root is no directory is refused, and nothing is made: %s', async (name, why) => {
    writeFileSync(userData, '#cloud-config\n');
    const place = join(folder, name);
    for (const command of [
      ['bootstrap', '--user-data', userData],
      ['plan', '--user-data', userData],
      ['status'],
    ])
      expect(await ask(...command, '--root', place)).toEqual({
        status: 2,
        stdout: '',
        stderr: `slipway: --root ${place}: ${why}\n`,
      });
    expect(readdirSync(folder)).toEqual(['user-data']);
  });

  it('that would need root below --root is refused before anything is begun', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(65534);
    expect(await ask('bootstrap', '--root', folder, '--user-data', userData)).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^slipway: only root can .* \(sudo slipway bootstrap --root .*\)\n$/),
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('that names files which are not there says what helps', async () => {
    const { status, stderr } = await ask('plan', '--root', folder, '--user-data', join(folder, 'no'));
    expect([status, stderr]).toEqual([2, expect.stringContaining('Pass existing, readable files')]);
    expect(await ask('check', userData, '--network-config', '')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--network-config: its name is empty'),
    });
  });

  it('says of a command that there is not that it is unknown, also when its help is wanted', async () => {
    const unknown = { status: 2, stdout: '', stderr: expect.stringContaining("unknown command 'statsu'") };
    expect(await ask('statsu')).toEqual(unknown);
    expect(await ask('help', 'statsu')).toEqual(unknown);
    expect(await ask('help', 'status')).toMatchObject({ status: 0 });
    expect((await ask('completion', 'fish')).stdout).toMatch(/ -a help -d /);
  });

  it('shows first what is done on a machine, and last what tells of the program', async () => {
    const { stdout } = await ask('--help');
    const groups = ['On a machine:', 'Before:', 'When it failed:', 'About:'];
    expect(groups.map((name) => stdout.indexOf(`\n${name}\n`)).toSorted((a, b) => a - b)).toEqual(
      groups.map((name) => stdout.indexOf(`\n${name}\n`)),
    );
  });

  it.runIf(process.getuid?.() === 0)(
    'tells whoever may not read user data to be root (needs root)',
    async () => {
      writeFileSync(userData, '#cloud-config\n', { mode: 0o600 });
      process.seteuid?.(65534);
      const { stderr } = await ask('plan', '--root', '/', '--user-data', userData).finally(() =>
        process.seteuid?.(0),
      );
      expect(stderr).toMatch(/permission denied.*\n {2}Run it as root/);
    },
  );

  it('does not tell somebody whose user data is too large that it is not there', async () => {
    writeFileSync(userData, Buffer.alloc(17 << 20));
    const { stderr } = await ask('plan', '--root', folder, '--user-data', userData);
    expect(stderr).toMatch(/UserDataTooLarge\]\n {2}Keep it below 16 MiB/);
  });

  it('takes - for standard input where user data is named', () => {
    expect(sourceOptions({ root: '/', userData: '-' })).toMatchObject({ userDataFile: '/dev/stdin' });
  });

  it('checks a network configuration as a file of its own, and leaves names of files as they are', async () => {
    const network = join(folder, 'geheimnis.yaml');
    writeFileSync(network, 'version: 2\nethernets:\n  a: {mtu: "1400"}\n');
    writeFileSync(userData, '#cloud-config\nusers: [{name: a, plain_text_passwd: geheimnis}]\n');
    const { stdout } = await ask('check', userData, '--network-config', network, '--output', 'json');
    const [of, own] = JSON.parse(stdout).files;
    expect(of).toMatchObject({ file: network, findings: [{ where: { line: 3, column: 12 } }] });
    expect(own.file).toBe(userData);
    expect(JSON.stringify(own)).not.toContain('ethernets');
    const { stdout: text } = await ask('check', userData, '--network-config', network);
    expect(text).toContain(`${network}:3:12: warning: ethernets.a.mtu must be a number`);
  });

  it.each([
    [
      'text',
      /\/a:3:13: warning: .*no: error: It cannot be read: no such .*\. \[UserDataNotFound\]\n {2}Give files/s,
    ],
    ['json', /"rule": "UserDataIgnoredKey".*"rule": "UserDataNotFound",\s+"severity": "error"/s],
    ['sarif', /"ruleId": "UserDataIgnoredKey".*"ruleId": "UserDataNotFound",\s+"level": "error"/s],
  ])(
    'that checks several files tells what one has where another cannot be read: %s',
    async (output, both) => {
      const [there, missing] = [join(folder, 'a'), join(folder, 'no')];
      writeFileSync(there, '#cloud-config\nusers:\n- {name: a, snapuser: b}\n');
      const told = await ask('check', there, missing, '--output', output);
      expect(told).toEqual({ status: 2, stdout: expect.stringMatching(both), stderr: '' });
      const { status, stdout } = await ask('check', '--network-config', missing, there, '--output', output);
      expect(status).toBe(2);
      expect(stdout).toMatch(/UserDataNotFound.*UserDataIgnoredKey/s);
    },
  );

  it.each([
    ['check', []],
    ['convert', []],
    ['plan', ['--user-data']],
    ['apply', ['--root', 'ROOT']],
  ])('says of what is no file what it is: %s', async (command, before) => {
    const words = before.map((word) => (word === 'ROOT' ? scratch() : word));
    const { status, stdout, stderr } = await ask(command, ...words, folder);
    expect(status).toBe(2);
    expect(stdout + stderr).toMatch(/is a directory\.? \[UserDataUnreadable\]\n {2}(?:Pass|Provide) \w/);
  });

  it('does not take the directory it is in for a file without a name', async () => {
    expect(await ask('check', '')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/name of the file is empty/),
    });
  });

  it('of user data that cannot be read does not say that they make no node, too', async () => {
    writeFileSync(userData, '#cloud-config\nruncmd: {a: b}\n');
    const { status, stderr } = await ask('plan', '--root', folder, '--user-data', userData);
    expect(status).toBe(2);
    expect(stderr).toContain('runcmd');
    expect(stderr).not.toContain('UserDataMakesNoNode');
  });

  it.each([
    ['bootstrap', 'only root can bootstrap this machine (sudo slipway bootstrap)'],
    ['reset', 'only root can reset this machine (sudo slipway reset)'],
    ['install --shim', 'only root can install into this machine (sudo slipway install)'],
    ['report', 'only root can read what is to be reported (sudo slipway report)'],
    ['collect', 'only root can collect what a node has to tell (sudo slipway collect)'],
    ['uninstall', 'only root can uninstall from this machine (sudo slipway uninstall)'],
  ])('that only root may give says so to others: %s', async (command, message) => {
    vi.spyOn(process, 'getuid').mockReturnValue(65534);
    expect(await ask(...command.split(' '))).toEqual({
      status: 2,
      stdout: '',
      stderr: `slipway: ${message}\n`,
    });
  });
});

describe('explain', () => {
  it('tells what is no code on standard error', async () => {
    expect(await ask('explain', 'TokenUnknwon')).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^slipway: There is no code "TokenUnknwon"\. Did you mean TokenUnknown/),
    });
  });

  it('tells programs one code or all', async () => {
    const one = JSON.parse((await ask('explain', 'tokenunknown', '--output', 'json')).stdout);
    expect(one).toMatchObject({ code: 'TokenUnknown', persistence: 'until-deadline' });
    const all = JSON.parse((await ask('explain', '--output=json')).stdout);
    expect(all).toContainEqual(one);
  });

  it('points to nothing that a node has not', async () => {
    expect((await ask('explain', 'TokenUnknown')).stdout).not.toContain('docs/');
  });
});

describe('plan', () => {
  it('tells programs what is wrong with user data', async () => {
    writeFileSync(
      userData,
      '#cloud-config\nslipway: {kubeadm: none}\nwrite_files:\n- path: "/a\\0b"\nfoo: 1\n',
    );
    const { status, stdout, stderr } = await ask('plan', '--user-data', userData, '--output', 'json');
    const plain = JSON.parse(stdout);
    expect(status).toBe(2);
    expect(plain).not.toHaveProperty('steps');
    expect(plain.report).toEqual([
      {
        severity: 'error',
        code: 'UserDataInvalid',
        message: expect.stringContaining('the path contains a NUL'),
        remedy: expect.stringContaining('line named'),
        where: { line: 4, column: 9 },
      },
      {
        severity: 'warning',
        code: 'UserDataIgnoredKey',
        message: expect.any(String),
        where: expect.anything(),
      },
    ]);
    expect(stderr).toContain('the path contains a NUL');
  });

  it('tells programs that there is no user data', async () => {
    const { status, stdout } = await ask('plan', '--user-data', join(folder, 'none'), '--output', 'json');
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 2,
      failure: { code: expect.any(String) },
    });
  });

  it('hands no control characters of user data to the terminal', async () => {
    writeFileSync(
      userData,
      '#cloud-config\nslipway: {kubeadm: none}\nruncmd:\n- "echo \\e[31mred \\u202eabc\\tdef"\n- "true"\n',
    );
    const { status, stdout } = await ask('plan', '--user-data', userData);
    expect(status).toBe(0);
    expect(stdout).toContain('echo \u{fffd}[31mred \u{fffd}abc    def');
    expect(stdout).toMatch(/, 2 steps, /);
  });

  it('keeps its titles in one column, however long an id is', async () => {
    writeFileSync(
      userData,
      '#cloud-config\nuser: {name: a}\nssh_import_id: [gh:a]\nslipway: {kubeadm: none}\n',
    );
    const { stdout } = await ask('plan', '--user-data', userData);
    const titles = [...stdout.matchAll(/^ +\d+ {2}\S+ +/gm)].map(([before]) => before.length);
    const details = [...stdout.matchAll(/^ +(?!\d)(?=\S)/gm)].map(([before]) => before.length);
    expect(stdout).toContain('ssh/imported-keys');
    expect(titles.length).toBeGreaterThan(1);
    expect(new Set([...titles, ...details]).size).toBe(1);
  });

  it('shows no secret of user data, also where a command names it', async () => {
    const user = 'slipway: {kubeadm: none}\nusers:\n- {name: a, plain_text_passwd: pass-word}\n';
    writeFileSync(userData, `#cloud-config\n${user}runcmd:\n- echo a:pass-word | chpasswd\n`);
    for (const format of ['text', 'json']) {
      const { stdout } = await ask('plan', '--user-data', userData, '--output', format);
      expect(stdout).toContain('echo a:[redacted] | chpasswd');
      expect(stdout).not.toContain('pass-word');
    }
  });

  it('names the file that is empty', async () => {
    writeFileSync(userData, '');
    expect((await ask('plan', '--user-data', userData)).stderr).toContain(
      `The user data of ${userData} is empty. [UserDataEmpty]`,
    );
  });

  it('refuses user data that makes no node', async () => {
    writeFileSync(userData, '#cloud-config\nrun_cmd: [kubeadm join]\n');
    expect(await ask('plan', '--user-data', userData)).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('was run_cmd meant to be runcmd? [UserDataMakesNoNode]'),
    });
  });

  it('counts one step in the singular', async () => {
    writeFileSync(userData, '#cloud-config\nslipway: {kubeadm: none}\nruncmd:\n- "true"\n');
    expect((await ask('plan', '--user-data', userData)).stdout).toMatch(/, 1 step, /);
  });
});
