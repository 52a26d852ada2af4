import { expect, it } from 'vitest';
import { readUserData } from '../../userdata/read-user-data.ts';
import { failingCalls } from './failing-calls.ts';

async function told(text: string): Promise<string[]> {
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  return failingCalls(document).map(
    ({ severity, where, message }) => `${where?.line ?? '-'}: ${severity}: ${message}`,
  );
}

it.each([
  ['bootcmd: ["true", cloud-init-per sometimes a ls]', /^2: warning: bootcmd 2 will fail: the first word/],
  ['runcmd: [[cloud-init-per, boot, a, ls]]', /^2: warning: runcmd 1 will fail: the first word/],
  ['runcmd: [/usr/bin/cloud-init-per once a]', /^2: warning: runcmd 1 will fail: cloud-init-per wants once/],
  ['runcmd: [cloud-init-per]', /^2: warning: runcmd 1 will fail: cloud-init-per wants once/],
  ['bootcmd: [[cloud-init-per, once, a/b, ls]]', /^2: warning: bootcmd 1 will fail: the name/],
  ['bootcmd: ["cloud-init-per one a sh -c \\"ls\\""]', /the first word/],
  ['slipway: {onError: stop}\nruncmd: [cloud-init-per boot a ls]', /^3: error: runcmd 1 will fail/],
])('a call that never comes to its command is told before: %s', async (text, message) => {
  expect(await told(text)).toEqual([expect.stringMatching(message)]);
});

it.each([
  'bootcmd: [[cloud-init-per, once, a-b, sh, -c, "ls; ls"], cloud-init-per always b ls]',
  'runcmd: [cloud-init-per instance c ls, cloud-init-per --help, cloud-init-perhaps x]',
  'runcmd: ["cloud-init-per $HOW a ls", "cloud-init-per once a$B ls", "cloud-init-per once \\"a b\\" ls"]',
  'runcmd: ["cloud-init-per $ARGS", echo cloud-init-per x]',
])('what may come to it is not: %s', async (text) => {
  expect(await told(text)).toEqual([]);
});
