import { lintDocument, RULES } from '../../../../src/agent/check/lint-document.ts';
import { plan, planDigest } from '../../../../src/agent/steps/plan.ts';
import { writeNative } from '../../../../src/agent/userdata/native/write-native.ts';
import { readUserData } from '../../../../src/agent/userdata/read-user-data.ts';
import { texts } from '../../corpus.ts';
import { must, type Target } from '../../target.ts';
import { KEYS, NODE_KEYS } from '../user-data-words.ts';

const METADATA = { 'local-hostname': 'node-1.example.test' };
const NATIVE = `apiVersion: slipway.dev/v1alpha1
kind: UserData
hostname: {name: a, fqdn: a.b}
files:
- {path: /a, mode: "0600", owner: root:root, append: true, defer: true, content: x}
- {path: /b, content: {base64: AAE=}, rule: {present: keep, unsaid: [mode]}}
- {path: /c, from: {url: "https://h/c", headers: [{name: A, value: b}], isCompressed: true}}
directories: [{path: /d, mode: "0700"}]
links: [{path: /l, target: /a, hard: true}]
units: [{name: a.service, enabled: true, masked: false, content: "[Unit]", dropIns: [{name: b.conf, content: c}]}]
disks: [{device: /dev/sdb, tableType: gpt, layout: [{percent: 50, code: "82"}], overwrite: true}]
filesystems: [{device: /dev/sdb, filesystem: ext4, label: l, partition: auto, extraOpts: [a]}]
mounts: [{fields: [/dev/sdb, /m, auto, defaults, "0", null]}]
users: [{name: u, uid: 5, groups: [g], passwordHash: h, sudo: [x], sshAuthorizedKeys: [k]}]
groups: [{name: g, members: [u], exact: {exists: true, gid: 7}}]
ntp: {enabled: true, servers: [a], pools: [b]}
node: {kernel: {modules: [m], sysctls: {a.b: "1"}}, proxy: {http: "http://p", except: [x]}}
bootCommands: [{shell: a, program: a}]
commands: [{shell: "a; b | c &"}, {kind: kubeadm, verb: join, args: [--config, /a], configPath: /a}]
`;

/** Checks user data, and converts it where it is accepted: the result must be accepted, make the same plan, and stay. */
async function checkedAndConverted(bytes: Buffer): Promise<unknown> {
  const instance = { source: 'file', metaData: METADATA };
  const document = await readUserData(bytes, instance);
  const findings = lintDocument(bytes, document, document.report, 'aws');
  for (const { message, remedy } of findings) {
    must(!/[\p{Cc}\u2028-\u202e]/u.test(message), 'a finding is one printable line');
    must(remedy !== '', 'a finding has a remedy');
  }
  if (document.report.some(({ severity }) => severity === 'error')) return findings;
  const one = writeNative(document);
  const again = await readUserData(Buffer.from(one), instance);
  must(again.report.length === 0, `what was converted is accepted: ${again.report[0]?.message ?? ''}`);
  must(planDigest(plan(again)) === planDigest(plan(document)), 'what was converted makes the same plan');
  must(writeNative(again) === one, 'what was converted stays as it is');
  return { findings, one };
}

export const authors: Target = {
  name: 'authors',
  corpus: () => [
    ...texts(NATIVE),
    ...texts(
      ...RULES.flatMap(({ example: { wrong, right } }) => [wrong, right])
        .filter((text) => text.length < 2_000)
        .map(header),
    ),
  ],
  dictionary: [
    ...KEYS,
    ...NODE_KEYS,
    ...[
      ' | ',
      '; ',
      ' && ',
      ' || true',
      ' & ',
      '$(',
      '<<EOF\n',
      '\nEOF\n',
      '`',
      "'",
      'case x in a|b) ',
      '#!/bin/sh\n',
    ],
    ...[
      'apiVersion: slipway.dev/v1alpha1\n',
      'kind: UserData\n',
      'order: ignition\n',
      'secret: ',
      'base64: ',
      'exact: {}',
    ],
  ],
  run: checkedAndConverted,
};

function header(text: string): string {
  return text.startsWith('{') ? text : `#cloud-config\n${text}`;
}
