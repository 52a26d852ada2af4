import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { unknownTimezone } from './unknown-timezone.ts';

async function told(text: string, list?: string): Promise<string[]> {
  const root = scratch();
  mkdirSync(join(root, 'usr/share/zoneinfo/Own'), { recursive: true });
  writeFileSync(join(root, 'usr/share/zoneinfo/Own/Zone'), '');
  if (list !== undefined) writeFileSync(join(root, 'usr/share/zoneinfo/tzdata.zi'), list);
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  const found = await unknownTimezone(createLinuxHost({ root }), document);
  return found.map(({ severity, where, message }) => `${where?.line}: ${severity}: ${message}`);
}

const LIST =
  '# version 2024b\nZ Europe/Berlin 0:53:28 - LMT 1893 Ap\nZ Asia/Tokyo 9:18:59 - LMT 1887\nL Asia/Tokyo Japan\n';

it.each([
  [
    'timezone: Europe/Berln',
    '2: warning: The tz database has no time zone Europe/Berln; Europe/Berlin is one.',
  ],
  [
    'timezone: europe/berlin',
    '2: warning: The tz database has no time zone europe/berlin; Europe/Berlin is one.',
  ],
  ['timezone: Mars/Olympus', '2: warning: The tz database has no time zone Mars/Olympus.'],
  ['timezone: Europe', '2: warning: The tz database has no time zone Europe.'],
])('a time zone that nobody knows is told: %s', async (text, message) => {
  expect(await told(text, LIST)).toEqual([message]);
});

it.each([
  ['timezone: Europe/Berlin', LIST],
  ['timezone: Japan', LIST],
  ['timezone: Own/Zone', LIST],
  ['timezone: A/B\nwrite_files: [{path: /usr/share/zoneinfo/A/B, content: x}]', LIST],
  ['timezone: Europe/Berln', undefined],
  ['hostname: a', LIST],
])('any other, or where there is no list, is not: %s', async (text, list) => {
  expect(await told(text, list)).toEqual([]);
});
