import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readUserData } from '../../userdata/read-user-data.ts';
import { plan } from '../plan.ts';
import { preview } from '../preview.ts';

async function told(text: string): Promise<string[]> {
  const root = scratch();
  mkdirSync(join(root, 'usr/share/zoneinfo/Europe'), { recursive: true });
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'usr/share/zoneinfo/Europe/Berlin'), '');
  writeFileSync(join(root, 'etc/passwd'), 'app:x:100:101::/:/bin/sh\n');
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  const machine = createLinuxHost({ root });
  const which = async (name: string) => (name === 'useradd' ? '/sbin/useradd' : undefined);
  const host = { ...machine, processes: { ...machine.processes, which } };
  const found = await preview(plan(document), { document, host, moment: 'plan' });
  return found.map(({ severity, where, message }) => `${where?.line ?? '-'}: ${severity}: ${message}`);
}

it.each([
  [
    'timezone: Europe/Berln',
    'There is no time zone Europe/Berln on this machine: /usr/share/zoneinfo/Europe/Berln is missing',
  ],
  [
    'timezone: Europe',
    'There is no time zone Europe on this machine: /usr/share/zoneinfo/Europe is a directory of zones',
  ],
  [
    'random_seed: {command: [gather], command_required: true}',
    'The program gather of random_seed is not on this machine',
  ],
  [
    'chpasswd: {users: [{name: bob, type: RANDOM}, {name: app, type: RANDOM}, {name: root, type: RANDOM}]}',
    'There is no user bob whom a password could be given, and none is made',
  ],
])('a setting that the machine has nothing for is told before: %s', async (text, message) => {
  expect(await told(text)).toEqual([`2: warning: ${message}`]);
});

it.each([
  'timezone: Europe/Berlin',
  'timezone: Own/Zone\nwrite_files: [{path: /usr/share/zoneinfo/Own/Zone, content: x}]',
  'timezone: Own/Zone\nbootcmd: [make-zone]',
  'chpasswd: {users: [{name: bob, type: RANDOM}]}\nusers: [{name: bob}]',
  'random_seed: {command: [gather]}',
])('none is told that is there, or comes before it is needed: %s', async (text) => {
  expect(await told(text)).toEqual([]);
});
