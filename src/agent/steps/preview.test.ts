import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Document } from '../document/document.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { plan } from './plan.ts';
import { preview } from './preview.ts';

let files: Host;
beforeEach(() => {
  files = createLinuxHost({ root: machine() });
});
const { processes, platform } = createLinuxHost({ root: '/' });

const atStart = (host: Pick<Host, 'files' | 'processes' | 'platform' | 'root'>, document: Document) =>
  preview(plan(document), { document, host: host as Host, moment: 'start' });

function machine(): string {
  const root = scratch();
  mkdirSync(join(root, 'etc/dir'), { recursive: true });
  writeFileSync(join(root, 'etc/passwd'), 'app:x:100:101::/:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'app:x:101:\n');
  symlinkSync('dir', join(root, 'etc/link'));
  symlinkSync('/etc/nothing', join(root, 'etc/dangling'));
  return root;
}

async function told(text: string): Promise<string[]> {
  const raw = Buffer.from(text.startsWith('{') ? text : `#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
  const found = await atStart({ files: files.files, processes, platform, root: '/' }, document);
  return found.map(({ severity, where, message }) => `${where?.line ?? '-'}: ${severity}: ${message}`);
}

describe('files that this machine cannot take', () => {
  it.each([
    ['write_files: [{path: /etc/dir, content: x}]', '/etc/dir cannot be written: a directory is there'],
    [
      'write_files: [{path: /etc/passwd/x, content: x}]',
      '/etc/passwd/x cannot be written: a part of the path is not a directory',
    ],
    [
      'write_files: [{path: /a, owner: bob}]',
      '/a cannot be written: there is no user "bob" (owner "bob:root")',
    ],
    [
      'write_files: [{path: /a, owner: "root:ops"}]\ngroups: [adm]',
      '/a cannot be written: there is no group "ops" (owner "root:ops")',
    ],
    [
      'write_files: [{path: /a, owner: bob}]\nusers: [{name: bob}]',
      '/a cannot be written: there is no user "bob" (owner "bob:root") before users are made; write the file with defer: true',
    ],
    [
      'write_files: [{path: /a, owner: eve, defer: true}]\nusers: [{name: bob}]',
      '/a cannot be written: there is no user "eve" (owner "eve:root")',
    ],
    [
      'write_files: [{path: /etc/link, content: x}]',
      '/etc/link cannot be written: a link to a directory is there',
    ],
    [
      'write_files: [{path: /a, source: {uri: "file:///none"}}]',
      '/a cannot be written: its source /none is not there',
    ],
    [
      'write_files: [{path: /a, source: {uri: "file:///etc/dir"}}]',
      '/a cannot be written: its source /etc/dir is no file',
    ],
  ])('are an error before anything is changed: %s', async (text, message) => {
    expect(await told(text)).toEqual([`2: error: ${message}`]);
  });

  it.each([
    'write_files: [{path: /etc/new/er, owner: "app:app"}, {path: /etc/passwd, append: true}]',
    'write_files: [{path: /a, owner: "1234:5678"}]',
    'write_files: [{path: /etc/dangling, content: x}]',
    'write_files: [{path: /a, source: {uri: "file:///none"}, content: x}]',
    'write_files: [{path: /a, source: {uri: "file:///etc/passwd"}}, {path: /b, source: {uri: "file:///a"}}]',
    'write_files: [{path: /a, source: {uri: "file:///none"}}]\nbootcmd: [make-it]',
    'write_files: [{path: /a, source: {uri: "file:///none"}, defer: true}]\npackages: [brings-it]',
    'write_files: [{path: /a, owner: bob, defer: true}]\nusers: [{name: bob}]',
    'write_files: [{path: /a, owner: nginx, defer: true}]\npackages: [nginx]',
    'write_files: [{path: /a, owner: bob}]\nbootcmd: [useradd bob]',
    'write_files: [{path: /a, owner: bob}, {path: /etc/passwd, content: "bob:x:1:1::/:/bin/sh"}]',
  ])('are none that something makes room for, or an owner: %s', async (text) => {
    expect(await told(text)).toEqual([]);
  });
});

const ignition = (storage: unknown, passwd = {}) =>
  JSON.stringify({ ignition: { version: '3.3.0' }, storage, passwd });
const data = { source: 'data:,x' };
const bob = { name: 'bob' };

describe('what Ignition would refuse of a tree', () => {
  it.each([
    [{ files: [{ path: '/etc/dir', contents: data }] }, '/etc/dir', /no regular file/],
    [{ files: [{ path: '/etc/passwd/x', contents: data }] }, '/etc/passwd/x', /a part of the path/],
    [{ files: [{ path: '/etc/group', contents: data }] }, '/etc/group', /overwrite is not true/],
    [{ directories: [{ path: '/etc/group' }] }, '/etc/group', /something else is there/],
    [{ links: [{ path: '/etc/link', target: '/b' }] }, '/etc/link', /something else is there/],
    [{ files: [{ path: '/a', user: bob }] }, '/a', /no user "bob"/],
    [{ directories: [{ path: '/a', group: bob }] }, '/a', /no group "bob"/],
    [{ links: [{ path: '/a', target: '/b', user: bob }] }, '/a', /no user "bob"/],
    [{ links: [{ path: '/a', target: '/none', hard: true }] }, '/a', /\/none is not there/],
  ])('is an error before anything is changed: %j', async (storage, path, why) => {
    const [first, ...others] = await told(ignition(storage));
    expect(others).toEqual([]);
    expect(first).toMatch(new RegExp(`^1: error: ${path} cannot be written: .*${why.source}`));
  });

  it.each([
    [{ files: [{ path: '/etc/dir', contents: data, overwrite: true }] }],
    [{ files: [{ path: '/etc/group', contents: { source: 'data:,app:x:101:%0A' } }] }],
    [
      {
        files: [
          { path: '/etc/group', mode: 420 },
          { path: '/etc/passwd', append: [data] },
        ],
      },
    ],
    [{ directories: [{ path: '/etc/dir' }, { path: '/etc/group', overwrite: true }] }],
    [{ links: [{ path: '/etc/link', target: 'dir' }] }],
    [
      {
        links: [
          { path: '/a', target: '/etc/passwd', hard: true },
          { path: '/l', target: '/none' },
        ],
      },
    ],
    [
      {
        files: [{ path: '/b', contents: data }],
        links: [{ path: '/a', target: '/b', hard: true }],
      },
    ],
    [
      {
        directories: [{ path: '/etc/group', overwrite: true }],
        files: [{ path: '/etc/group/x', contents: data }],
      },
    ],
    [{ files: [{ path: '/home/bob/x', contents: data, user: bob, group: bob }] }, { users: [bob] }],
    [{ files: [{ path: '/a', contents: data, group: bob }] }, { groups: [bob] }],
    [
      {
        filesystems: [{ device: '/dev/a', format: 'ext4', path: '/etc' }],
        files: [{ path: '/etc/dir', contents: data }],
      },
    ],
  ])('is nothing that it makes, or leaves as it is: %j', async (storage, passwd?: object) => {
    expect(await told(ignition(storage, passwd))).toEqual([]);
  });

  it('is found among thousands without comparing each with each', async () => {
    const many = (path: string) => Array.from({ length: 40_000 }, (_, number) => `${path}/${number}`);
    const links = many('/l').map((path) => ({ path, target: '/x' }));
    const files = [...many('/f'), '/etc/dir'].map((path) => ({ path, contents: data }));
    expect(await told(ignition({ links, files }))).toEqual([expect.stringContaining('/etc/dir cannot')]);
  });
});

describe('disks of Ignition', () => {
  const storage = {
    disks: [{ device: '/dev/a', wipeTable: true }, { device: '/dev/b' }],
    raid: [{ name: 'r', level: 'raid1', devices: ['/dev/a', '/dev/b'] }],
    luks: [{ name: 'l', device: '/dev/c', clevis: { tpm2: true } }],
  };
  const missing = async (has: readonly string[], root = '/') => {
    const document = await readUserData(Buffer.from(ignition(storage)), { source: 'file', metaData: {} });
    const which = async (name: string) => (has.includes(name) ? `/sbin/${name}` : undefined);
    const own = { ...processes, which };
    const found = await atStart({ files: files.files, processes: own, platform, root }, document);
    return found.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  };

  it('are an error where the programs for them are not there', async () => {
    const rest = 'is not on this machine';
    expect(await missing([])).toEqual([
      `error ToolMissing: Cannot partition /dev/a: the program sfdisk ${rest}`,
      `error ToolMissing: Cannot make the array r: the program mdadm ${rest}`,
      `error ToolMissing: Cannot encrypt l: the program cryptsetup ${rest}`,
      `error ToolMissing: Cannot bind l to its keys: the program clevis ${rest}`,
    ]);
  });

  it('are none where they are, and none of an image', async () => {
    expect(await missing(['sfdisk', 'mdadm', 'cryptsetup', 'clevis'])).toEqual([]);
    expect(await missing([], '/image')).toEqual([]);
  });
});

const commandsOf = async (text: string) =>
  (await readUserData(Buffer.from(`#cloud-config\n${text}\n`), { source: 'file', metaData: {} })).commands;

describe('commands that the shell cannot read', () => {
  it.each([
    [`runcmd: ["echo 'a", kubeadm join x]`, /^2: error: The shell cannot read runcmd 1 \(.*nterminated/],
    ['runcmd: [":", "if a; then", echo b, kubeadm join x]', /^2: error: The shell cannot read runcmd 2 /],
    ['runcmd: [":", "a )", "kubeadm join | tee /l"]', /^2: error: The shell cannot read runcmd 2 /],
    ['runcmd: ["(a"]', /^2: error: The shell cannot read runcmd 1 /],
    ['runcmd: [kubeadm join x, "(a"]', /^2: warning: The shell cannot read runcmd 2 /],
    ['runcmd: [a && exit 0, "(a", kubeadm join x]', /^2: warning: The shell cannot read runcmd 2 /],
    ['bootcmd: ["echo `a"]\nruncmd: [kubeadm join x]', /^2: warning: The shell cannot read bootcmd 1 /],
  ])('are told before they are run: %s', async (text, message) => {
    expect(await told(text)).toEqual([expect.stringMatching(message)]);
  });

  it.each([
    'runcmd: ["if true; then", echo a, fi, kubeadm join x]',
    `runcmd: ["cat >/a <<'E'\\n'unclosed\\nE", "echo a \\\\", [echo, "it's"], kubeadm join x]`,
    'runcmd: []',
  ])('are none that it reads: %s', async (text) => {
    expect(await told(text)).toEqual([]);
  });

  it('are looked for with one shell where there are very many', async () => {
    const raw = Buffer.from(`#cloud-config\nruncmd:\n${'- echo "a"\n'.repeat(500)}- (a\n- kubeadm join x\n`);
    const document = await readUserData(raw, { source: 'file', metaData: {} });
    let started = 0;
    const counting: Host['processes'] = {
      ...processes,
      run: (spec) => {
        started += 1;
        return processes.run(spec);
      },
    };
    expect(
      await atStart({ files: files.files, processes: counting, platform, root: '/' }, document),
    ).toMatchObject([
      { severity: 'warning', message: expect.stringMatching(/cannot read an item of runcmd/) },
    ]);
    expect(started).toBe(1);
  });

  it('need no shell where the call of kubeadm is the only one', async () => {
    const raw = Buffer.from('#cloud-config\nruncmd: [kubeadm join --config /run/a.yaml]\n');
    const document = await readUserData(raw, { source: 'file', metaData: {} });
    const started: string[] = [];
    const counting = { ...processes, run: async () => Promise.reject(new Error(`${started.push('sh')}`)) };
    expect(await atStart({ files: files.files, processes: counting, platform, root: '/' }, document)).toEqual(
      [],
    );
    expect(started).toEqual([]);
  });

  it('are told where a word of a compound command stands alone', async () => {
    expect(await told('runcmd: [fi, kubeadm join x]')).toEqual([
      expect.stringMatching(/^2: error: .*runcmd 1 /),
    ]);
  });

  it('are no error where the script sets its shell first', async () => {
    expect(await told('runcmd: ["shopt -s extglob", "ls !(a)", kubeadm join x]')).toEqual([
      expect.stringMatching(/^2: warning: /),
    ]);
  });

  it('are told without a word of theirs, which may be a secret', async () => {
    const text = 'runcmd: ["for i in a; do :; done hunter2", kubeadm join x]';
    const raw = Buffer.from(`#cloud-config\n${text}\n`);
    const document = await readUserData(raw, { source: 'file', metaData: {} });
    for (const [shell, word] of [
      ['/bin/bash', 'near unexpected token a word'],
      ['/bin/sh', ''],
    ] as const) {
      const [found] = await atStart(
        { files: files.files, processes, platform, root: '/' },
        { ...document, shell },
      );
      expect(found?.message).toContain(word);
      expect(found?.message).not.toContain('hunter2');
    }
    const sign = {
      ...document,
      commands: await commandsOf('runcmd: ["(a ))", kubeadm join x]'),
      shell: '/bin/bash',
    };
    const [found] = await atStart({ files: files.files, processes, platform, root: '/' }, sign);
    expect(found?.message).toContain("near unexpected token `)'");
  });

  it('are not looked for where there is no shell', async () => {
    const raw = Buffer.from('#cloud-config\nruncmd: ["(a"]\n');
    const document = await readUserData(raw, { source: 'file', metaData: {} });
    expect(await atStart(files, document)).toEqual([]);
  });
});
