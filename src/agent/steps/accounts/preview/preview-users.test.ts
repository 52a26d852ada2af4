import { expect, it } from 'vitest';
import type { Host } from '../../../host/host.ts';
import { readUserData } from '../../../userdata/read-user-data.ts';
import { plan } from '../../plan.ts';
import { preview } from '../../preview.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0000000000000000000000000000000000000000001 k';

async function told(text: string): Promise<string[]> {
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  const found = await preview(plan(document), { document, host: {} as Host, moment: 'again' });
  return found.map(({ message, where }) => `${where?.line ?? '-'}: ${message}`);
}

it.each([
  [
    'users: [{name: ann, ssh_authorized_keys: [here it goes, ssh-rsa]}]',
    /^2: 2 of the SSH keys of the user ann/,
  ],
  ['users: [{name: ann, lock_passwd: false}]', /^2: The user ann stays locked/],
  [
    `users: [{name: ann, system: true, ssh_authorized_keys: ["${KEY}"]}]`,
    /^2: The user ann will not be made: system leaves/,
  ],
  [
    `users: [{name: ann, no_create_home: true, ssh_authorized_keys: ["${KEY}"]}]`,
    /^2: The user ann will not be made: no_create_home leaves/,
  ],
  [
    'users: [{name: ann, uid: 1000}, {name: bob, uid: 1000}]',
    /^2: The user bob will not be made: its uid 1000/,
  ],
  ['groups: [ops: [ann, zoe]]\nusers: [{name: ann}]', /^-: The user ann is made after the groups/],
  [
    'disable_root: false\nssh_authorized_keys: [nonsense]\nuser: {name: ann, groups: adm}',
    /^-: 1 of the SSH keys of the default user/,
  ],
])('what the steps would find only later: %s', async (text, message) => {
  expect(await told(text)).toEqual([expect.stringMatching(message)]);
});

it.each([
  `users: [{name: ann, lock_passwd: false, ssh_authorized_keys: ["${KEY}"], hashed_passwd: $6$a$b}]`,
  'users: [{name: ann, lock_passwd: false, passwd: $6$a$b}]',
  'users: [{name: ann, lock_passwd: false, plain_text_passwd: secret}]',
  'users: [{name: ann, lock_passwd: false}]\nchpasswd: {users: [{name: ann, type: RANDOM}]}',
  'groups: [ops: [zoe]]\nusers: [{name: ann, groups: [ops], system: true}]',
])('nothing where nothing is amiss: %s', async (text) => {
  expect(await told(text)).toEqual([]);
});

it.each([
  [`users: [{name: ${'a'.repeat(33)}}]`, [/^2: The user a{33} may not be made: its name has more than 32/]],
  [`groups: [${'a'.repeat(33)}]`, [/^-: The group a{33} may not be made/]],
  ['groups: [ops]\nusers: [{name: ops}]', [/^3: The user ops may not be made: a group of its name/]],
  ['users: [{name: ops, groups: [ops]}]', [/^2: The user ops may not be made: a group of its name/]],
  ['users: [{name: ops, groups: [ops], primary_group: ops}, {name: eve, groups: [ops]}]', []],
  [`groups: [ops]\nusers: [{name: ops, no_user_group: true}, ${'a'.repeat(32)}]`, []],
] as const)('what most machines refuse: %s', async (text, messages) => {
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  const found = await preview(plan(document), { document, moment: 'check' });
  const told = found
    .filter(({ message }) => message.includes('may not be made'))
    .map(({ message, where }) => `${where?.line ?? '-'}: ${message}`);
  expect(told).toEqual(messages.map((message) => expect.stringMatching(message)));
});
