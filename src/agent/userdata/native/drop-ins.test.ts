import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { loadSettings } from '../../settings/load-settings.ts';
import { loadDocument } from '../load.ts';

const HEAD = 'apiVersion: slipway.dev/v1alpha1\nkind: UserData\n';
let root: string;

beforeEach(() => {
  root = scratch();
  mkdirSync(join(root, 'etc/slipway/config.d'), { recursive: true });
});

async function load(userData: string, dropIns: Record<string, string>) {
  for (const [name, text] of Object.entries(dropIns))
    writeFileSync(join(root, 'etc/slipway/config.d', name), text);
  writeFileSync(join(root, 'user-data'), userData);
  const answer = await loadDocument(createLinuxHost({ root }), { userDataFile: join(root, 'user-data') });
  if (answer.kind !== 'document') throw new Error(answer.failure.cause);
  return answer.document;
}

test('documents of the image come first, and the user data count where both say something', async () => {
  const document = await load('#cloud-config\nruncmd: [own]\nntp: {servers: [own.example]}\n', {
    '10-first.yaml': `${HEAD}files: [{path: /first}]\ncommands: [{shell: first}]\nntp: {servers: [image.example]}\n`,
    '20-second.yaml': `# ours\n${HEAD}files: [{path: /second}]\nnode: {kernel: {modules: [m]}}\nhostname: {name: image}\n`,
    '30-settings.yaml': 'console: false\n',
  });
  expect(document.report).toEqual([]);
  expect(document.files.map(({ path }) => path)).toEqual(['/first', '/second']);
  expect(document.commands.map((command) => command.kind === 'command' && command.shell.reveal())).toEqual([
    'first',
    'own',
  ]);
  expect(document.ntp?.servers).toEqual(['own.example']);
  expect(document.node?.kernel?.modules).toEqual(['m']);
  expect(document.hostname?.name).toBe('image');
});

test('what is wrong with one is told with its path and line', async () => {
  const document = await load('#cloud-config\nruncmd: [own]\n', {
    'a.yaml': `${HEAD}files: [{path: relative}]\n`,
    'b.yaml': `${HEAD}order: ignition\n`,
  });
  expect(document.report.map(({ severity, message }) => `${severity} ${message}`)).toEqual([
    expect.stringMatching(/^error \/etc\/slipway\/config\.d\/b\.yaml: its order/),
    expect.stringMatching(
      /^error \/etc\/slipway\/config\.d\/a\.yaml line 3, column \d+: files\.0\.path must be/,
    ),
  ]);
});

test('the reporter takes none of them for settings', async () => {
  writeFileSync(join(root, 'etc/slipway/config.d/a.yaml'), `${HEAD}files: [{path: /a}]\n`);
  const { problems } = await loadSettings(createLinuxHost({ root }));
  expect(problems).toEqual([]);
});
