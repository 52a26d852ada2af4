import { expect, it } from 'vitest';
import { readUserData } from '../userdata/read-user-data.ts';
import { lintDocument } from './lint-document.ts';

const MANY = 1_000_000;
const CONFIG = '/run/kubeadm/config.yaml';
const kubeadm = (text: string): string =>
  `write_files:\n- path: ${CONFIG}\n  content: |\n    apiVersion: kubeadm.k8s.io/v1beta4\n    kind: JoinConfiguration\n${text}    discovery: {}\nruncmd: [kubeadm join --config ${CONFIG}]\n`;

// With a pattern that goes through its text again and again each of them takes minutes.
it.each<[string, string]>([
  ['a script of empty lines', `#!/bin/sh\n${'\n'.repeat(MANY)}true\n`],
  ['a command of escapes', `#cloud-config\nbootcmd: ['${'\\\\'.repeat(MANY)}']\n`],
  ["kubeadm's configuration with empty lines", `#cloud-config\n${kubeadm('\n'.repeat(MANY))}`],
  ['a seed with blanks', `#cloud-config\nrandom_seed: {encoding: b64, data: "A${' '.repeat(MANY)}!"}\n`],
  ['the size of a swap file', `#cloud-config\nswap: {filename: /s, size: "${'0'.repeat(MANY)}x"}\n`],
  ['an expectation', `#cloud-config\nslipway: {expect: {memory: "${' '.repeat(MANY)}x"}}\n`],
])('is at its end with %s', async (_, text) => {
  const raw = Buffer.from(text);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  expect(lintDocument(raw, document, document.report, undefined).length).toBeGreaterThan(0);
});
