import { expect, it } from 'vitest';
import { readUserData } from '../../userdata/read-user-data.ts';
import { failingCalls } from './failing-calls.ts';

async function told(text: string): Promise<string[]> {
  const raw = Buffer.from(`#cloud-config\n${text}\n`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  return [...failingCalls('bootcmd', document), ...failingCalls('runcmd', document)].map(
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
  ['runcmd: [ls, exit, echo a]', /^2: warning: runcmd 2 ends the shell, so what is behind it never runs$/],
  ['runcmd: [ls -l, exit 0, [kubeadm, join, x]]', /^2: error: runcmd 2 ends the shell.* kubeadm never/],
  ['runcmd: ["exit 1", "kubeadm join x | tee /a"]', /^2: error: runcmd 1 ends the shell.* kubeadm never/],
  ['runcmd: [[kubeadm, join, x], exit 0, rm /run/kubeadm/a]', /^2: warning: runcmd 2 ends the shell/],
  ['runcmd: [exit 0, rm /run/kubeadm/a]', /^2: warning: runcmd 1 ends the shell/],
  ['bootcmd: [exit 0, ls]', /^2: warning: bootcmd 1 ends the shell/],
  ['runcmd: [exit 0, "echo kubeadm join x"]', /^2: warning: runcmd 1 ends the shell/],
])('what never comes to its turn is told before: %s', async (text, message) => {
  expect(await told(text)).toEqual([expect.stringMatching(message)]);
});

it.each([
  'runcmd: [kubeadm join x, exit 0]',
  'runcmd: ["if a; then", exit 0, fi, kubeadm join x]',
  'runcmd: ["a || exit 0", kubeadm join x]',
  'runcmd: ["cat <<E", exit 0, E, kubeadm join x]',
  'runcmd: [[sh, -c, exit 0], exitable, kubeadm join x]',
])('what may come to its turn is not: %s', async (text) => {
  expect(await told(text)).toEqual([]);
});

it.each([
  'bootcmd: [[cloud-init-per, once, a-b, sh, -c, "ls; ls"], cloud-init-per always b ls]',
  'runcmd: [cloud-init-per instance c ls, cloud-init-per --help, cloud-init-perhaps x]',
  'runcmd: ["cloud-init-per $HOW a ls", "cloud-init-per once a$B ls", "cloud-init-per once \\"a b\\" ls"]',
  'runcmd: ["cloud-init-per $ARGS", echo cloud-init-per x]',
])('what may come to it is not: %s', async (text) => {
  expect(await told(text)).toEqual([]);
});
