import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { checkCommand } from './check.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0000000000000000000000000000000000000000001 k';

let printed = '';
beforeEach(() => {
  printed = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function checked(text: string): Promise<{ status: number; notes: string[]; others: string[] }> {
  const file = join(scratch(), 'user-data');
  writeFileSync(file, `#cloud-config\nslipway: {kubeadm: none}\n${text}\n`);
  const status = await checkCommand([file], { output: 'json' });
  const { files } = JSON.parse(printed) as {
    files: { findings: Record<'severity' | 'message', string>[] }[];
  };
  const findings = files.flatMap((each) => each.findings);
  const of = (isNote: boolean) =>
    findings.filter(({ severity }) => (severity === 'note') === isNote).map(({ message }) => message);
  return { status, notes: of(true), others: of(false) };
}

it.each([
  ['users: [default]', 'users: default'],
  ['password: x', 'password'],
  ['users: [{gecos: Ann, shell: /bin/sh}]', 'the item of users that has no name'],
  [`ssh_authorized_keys: ["${KEY}"]`, 'ssh_authorized_keys'],
  [`users: [default, {name: ann}]\nssh_import_id: [gh:ann]`, 'ssh_import_id'],
])('what an image decides is a note where no image is known: %s', async (text, what) => {
  const { status, notes, others } = await checked(text);
  expect(notes).toContainEqual(
    expect.stringMatching(new RegExp(`^What becomes of ${what}, .*default_user in its /etc/cloud/cloud.cfg`)),
  );
  expect({ status, others }).toEqual({ status: 0, others: [] });
});

it('an item without a name is an error where nothing is in it, or the user data says who the default user is not', async () => {
  expect(await checked('users: [{}]')).toMatchObject({ status: 1, others: ['users: an item has no name.'] });
});

it('who has no default user on any image is warned', async () => {
  const { status, notes, others } = await checked('users: [{name: ann}]\npassword: x');
  expect(others).toEqual(['password has no effect: no default user is created.']);
  expect({ status, notes }).toEqual({ status: 1, notes: [] });
});

it('what the steps would find of accounts is told before', async () => {
  const { status, others } = await checked(
    'users: [{name: ann, lock_passwd: false, ssh_authorized_keys: [x]}]',
  );
  expect(others).toEqual([
    expect.stringMatching(/^1 of the SSH keys of the user ann are no public keys/),
    expect.stringMatching(/^The user ann stays locked/),
  ]);
  expect(status).toBe(1);
});

it.each([
  ['runcmd: [ls, "(a"]', 'The shell cannot read runcmd 2'],
  ['bootcmd: ["for a in b; do"]', 'The shell cannot read bootcmd 1'],
])('commands that bash cannot read are told: %s', async (text, message) => {
  const { status, others } = await checked(text);
  expect(others).toEqual([expect.stringContaining(message)]);
  expect(status).toBe(1);
});

it('nor is PowerShell for bash to read', async () => {
  const file = join(scratch(), 'user-data');
  writeFileSync(file, '#ps1\nif (Test-Path C:\\k) { kubeadm join x }\n');
  await checkCommand([file], { output: 'text' });
  expect(printed).not.toContain('cannot read');
});

it('commands that only some shells read are not', async () => {
  expect(await checked('runcmd: ["cat <(ls)", "[[ a == b ]] && ls"]')).toMatchObject({ others: [] });
});
