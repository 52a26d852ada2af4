import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { plan } from './plan.ts';
import { preview } from './preview.ts';

const ALL = ['growpart', 'resize2fs', 'mkswap', 'swapon', 'ssh-keygen', 'modprobe'];
const EXT4 = '/dev/a / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n';

/** A machine that has these files and programs, and the kernel modules that modprobe finds. */
function machine(files: Record<string, string>, programs: readonly string[], freeBytes: number): Host {
  const root = scratch();
  for (const [path, text] of Object.entries({ '/proc/mounts': EXT4, '/dev/a': '', ...files })) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const host = createLinuxHost({ root });
  const own: Pick<Host['processes'], 'which' | 'run'> = {
    which: async (name) => (programs.includes(name) ? `/sbin/${name}` : undefined),
    run: async ({ argv }) => {
      const isFound = argv.at(-1) === 'br_netfilter';
      const stderr = isFound ? '' : `modprobe: FATAL: Module ${argv.at(-1)} not found in directory /lib\n`;
      return { exitStatus: isFound ? 0 : 1, stdout: '', stderr, timedOut: false, ms: 1 };
    },
  };
  return {
    ...host,
    root: '/',
    files: { ...host.files, space: async () => ({ totalBytes: 2 * freeBytes, freeBytes }) },
    processes: { ...host.processes, ...own },
  };
}

async function told(
  text: string,
  {
    files = {},
    without = '',
    freeBytes = 2 ** 32,
  }: { files?: Record<string, string>; without?: string; freeBytes?: number },
): Promise<string[]> {
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
  const programs = ALL.filter((name) => name !== without);
  const host = machine(files, programs, freeBytes);
  const found = await preview(plan(document), { document, host, moment: 'plan' });
  return found.map(({ severity, where, message }) => `${where?.line ?? '-'}: ${severity}: ${message}`);
}

it.each([
  ['growpart: {mode: auto}', { without: 'growpart' }, /The program growpart is not on this machine/],
  ['growpart: {mode: auto, devices: [/, /dev/b]}', {}, /There is no \/dev\/b on this machine/],
  ['resize_rootfs: true', { without: 'resize2fs' }, /The program resize2fs .* the root file system does not/],
  [
    'resize_rootfs: true',
    { files: { '/proc/mounts': 'overlay / overlay rw 0 0\n' } },
    /of the type overlay, which nobody knows how to grow/,
  ],
  ['swap: {filename: /s, size: 8G}', {}, /\/s is to have 8192 MiB, and there are 4096 MiB left/],
  ['swap: {filename: /none/s, size: 8G}', {}, /\/none\/s is to have 8192 MiB/],
  ['swap: {filename: /tmp/s, size: 1G}', {}, /\/tmp\/s lies on tmpfs, where nothing can swap/],
  ['swap: {filename: /dev, size: 1G}', {}, /\/dev is no file to swap to/],
  ['swap: {filename: /s, size: auto}', { without: 'mkswap' }, /The program mkswap .* it swaps to no file/],
  ['ntp: {servers: [a]}', {}, /No time service is on this machine/],
  [
    'ntp: {peers: [a], allow: [10.0.0.0/8]}',
    { files: { '/usr/lib/systemd/systemd-timesyncd': '' } },
    /peers and allow will have no effect: .* is systemd-timesyncd/,
  ],
  ['ntp: {ntp_client: systemd-timesyncd}', {}, /systemd-timesyncd is not on this machine, and no package/],
  ['ssh_deletekeys: true', { without: 'ssh-keygen' }, /The program ssh-keygen is not on this machine/],
  ['slipway: {kernel: {modules: [br_netfilter, nothing]}}', {}, /There is no kernel module nothing/],
  ['slipway: {kernel: {sysctls: {net.ipv4.nothing: 1}}}', {}, /has no setting net\.ipv4\.nothing/],
])('what the machine has not is told before: %s', async (text, has, message) => {
  const [first, ...others] = await told(text, has);
  expect(first).toMatch(/^2: warning: /);
  expect(first).toMatch(message);
  expect(others).toEqual([]);
});

it.each([
  ['growpart: {mode: auto, devices: [/, /dev/a]}\nresize_rootfs: noblock', {}],
  ['swap: {filename: /s, size: 2G}', {}],
  ['swap: {filename: /tmp/s, size: 2G}\nmounts: [[/dev/a, /tmp]]', {}],
  ['swap: {filename: /s, size: 8G}\nresize_rootfs: true', {}],
  ['swap: {filename: /tmp/s, size: 8G}', { files: { '/tmp/s': '' } }],
  ['ntp: {servers: [a]}', { files: { '/usr/lib/systemd/systemd-timesyncd': '' } }],
  ['ntp: {ntp_client: chrony}', {}],
  ['ntp: {enabled: false}', {}],
  ['ssh_keys: {rsa_public: x}', { without: 'ssh-keygen' }],
  ['slipway: {kernel: {modules: [br_netfilter], sysctls: {net.bridge.x: 1}}}', {}],
  ['slipway: {kernel: {modules: [loop-x]}}', { files: { '/sys/module/loop_x/y': '' } }],
  [
    'slipway: {kernel: {sysctls: {net.ipv4.ip_forward: 1}}}',
    { files: { '/proc/sys/net/ipv4/ip_forward': '0' } },
  ],
  ['growpart: {mode: auto}\nbootcmd: [bring-it]', { without: 'growpart' }],
])('what is there, or comes first, is not: %s', async (text, has) => {
  expect(await told(text, has)).toEqual([]);
});
