import { describe, expect, test } from 'vitest';
import { CLOUDS } from '../../kit/bytes/user-data-limits.ts';
import { readUserData } from '../userdata/read-user-data.ts';
import { lintDocument, RULES } from './lint-document.ts';

/** What is found in a cloud-config (or an Ignition config), by rule. */
async function found(text: string, cloud?: string): Promise<string[]> {
  const raw = Buffer.from(text.startsWith('{') || text.startsWith('#') ? text : `#cloud-config\n${text}`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  return lintDocument(raw, document, document.report, cloud).map(({ rule }) => rule);
}

describe.each(RULES)('$id', ({ id, title, why, remedy, example }) => {
  test('finds what is wrong, and nothing where it is right', async () => {
    expect(await found(example.wrong)).toContain(id);
    expect(await found(example.right)).not.toContain(id);
  });

  test('is told in whole sentences', () => {
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
    expect(title).toMatch(/^[A-Za-z].*[^.]$/);
    expect(why).toMatch(/\.$/);
    expect(remedy).toMatch(/\.$/);
  });
});

test('no two rules have one id', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});

describe('no false alarm', () => {
  test.each([
    'runcmd: ["if [ -e /a ]; then b; fi"]',
    'runcmd: ["for x in 1 2; do b; done"]',
    'runcmd: ["echo a; b"]',
    'runcmd: ["A=1; b"]',
    'runcmd: [\'echo "a | b; c"\']',
    'runcmd: ["a # b | c; d"]',
    'runcmd: ["a $(b | c; d)"]',
    'runcmd: ["echo x | tee /a"]',
    'runcmd: ["a 2>&1"]',
    'runcmd: ["a >/b 2>/c && d"]',
    'runcmd:\n- |\n  cat >/a <<EOF\n  a | b; c &\n  EOF\n',
    'runcmd:\n- |\n  set -euo pipefail\n  a | b; c\n',
    'runcmd: ["case $x in a|b) c;; esac"]',
    'write_files:\n- {path: /a.sh, permissions: \'0755\', content: "#!/bin/bash\\nset -eux\\na\\nb\\n"}',
    'write_files:\n- {path: /a.sh, permissions: \'0755\', content: "#!/bin/sh -e\\na\\nb\\n"}',
    'write_files:\n- {path: /a.py, permissions: \'0755\', content: "#!/usr/bin/python3\\na\\nb\\n"}',
  ])('%j', async (text) => {
    expect((await found(text)).filter((rule) => rule.includes('-'))).toEqual([]);
  });
});

describe('by the way', () => {
  test.each([
    ['a password in a list', 'chpasswd: {list: "ops:hunter2"}', ['password-in-clear']],
    ['one of chpasswd', 'chpasswd: {users: [{name: ops, type: text, password: x}]}', ['password-in-clear']],
    ['its hash', 'chpasswd: {users: [{name: ops, type: hash, password: $6$a$b}]}', []],
    ['a random one', 'chpasswd: {users: [{name: ops, type: RANDOM}]}', []],
    ['a variable in a command', 'runcmd: ["echo {{ v1.instance_id }}"]', ['template-not-filled-in']],
    [
      'one in a call of kubeadm',
      'runcmd: ["kubeadm join --config /a --node-name={{ local_hostname }}"]',
      ['template-not-filled-in'],
    ],
    ['braces of another program', 'runcmd: ["docker ps --format {{.Names}} {{ .v1 }}"]', []],
    ['a script that is only written', 'write_files: [{path: /a, content: "#!/bin/sh\\nls"}]', []],
    ['a dash in a text', 'runcmd: ["echo \u2013 and \'\u2013a\'"]', []],
    ['a blank', 'runcmd: ["ls\u00a0/etc"]', ['typographic-characters']],
    ['a file of the image', 'runcmd: [kubeadm join --config /a]', []],
  ])('%s', async (_, text, rules) => {
    expect((await found(text)).filter((rule) => rule.includes('-'))).toEqual(rules);
  });
});

test('a mode in decimal is told once', async () => {
  const file = (mode: string) =>
    `write_files:\n- {path: /a, content: x, permissions: ${mode}}\nslipway: {kubeadm: none}\n`;
  expect(await found(file('644'))).toEqual(['mode-read-as-decimal']);
  expect(await found(file('420'))).toEqual(['UserDataIgnoredKey']);
});

test('a script in a part of its own is looked at as one', async () => {
  expect(await found('#!/bin/sh\nmodprobe a\nmodprobe b\n')).toContain('script-without-set-e');
  expect(await found('#!/bin/sh\nset -e\nmodprobe a\nmodprobe b\n')).not.toContain('script-without-set-e');
});

test('a cloud that was named does not take what is too large for it', async () => {
  const text = `write_files: [{path: /a, content: ${'x'.repeat(17_000)}}]\n`;
  const raw = Buffer.from(`#cloud-config\n${text}`);
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  const ofSize = (cloud?: string) =>
    lintDocument(raw, document, [], cloud).filter(({ rule }) => rule === 'larger-than-a-cloud-takes');
  expect(ofSize('aws')).toMatchObject([{ severity: 'error' }]);
  expect(ofSize('gcp')).toEqual([]);
  expect(ofSize()).toMatchObject([{ severity: 'note' }]);
  expect(lintDocument(raw, document, [], 'gcp').every(({ severity }) => severity === 'note')).toBe(true);
  expect(CLOUDS.every(({ bytes }) => bytes > 0)).toBe(true);
});

test('a secret of a store needs no hash, but what lies encrypted on a server does; and nobody else may read it', async () => {
  const file = (uri: string, more = '') =>
    found(`write_files: [{path: /a, ${more}source: {uri: "${uri}"}}]\n`);
  const both = ['remote-content-without-hash', 'secret-readable-by-everybody'];
  const of = (rules: string[]) => rules.filter((rule) => both.includes(rule));
  expect(of(await file('vault:///secret/data/a'))).toEqual([]);
  expect(of(await file('age+data:,x'))).toEqual([]);
  expect(of(await file('age+https://files.example/a.age'))).toEqual(both.slice(0, 1));
  expect(of(await file('vault:///secret/data/a', "permissions: '0644', "))).toEqual(both.slice(1));
});

test("a version of kubeadm's configuration is no old one where Kubernetes is as old", async () => {
  const config = (version: string) =>
    found(
      `write_files: [{path: /run/kubeadm.yaml, permissions: '0600', content: "apiVersion: kubeadm.k8s.io/v1beta2\\nkind: ClusterConfiguration\\nkubernetesVersion: ${version}\\n"}]\nruncmd: [kubeadm init --config /run/kubeadm.yaml]\n`,
    );
  expect(await config('v1.26.3')).not.toContain('old-kubeadm-api');
  expect(await config('v1.27.0')).toContain('old-kubeadm-api');
});

test('what a rule says of a path turns no line of a forge around', async () => {
  const raw = Buffer.from(
    '#cloud-config\nwrite_files: [{path: "/\u202e", content: "apiVersion: kubeadm.k8s.io/v1beta3"}]\n',
  );
  const document = await readUserData(raw, { source: 'file', metaData: {} });
  expect(lintDocument(raw, document, [], undefined).map(({ message }) => message)).toEqual([
    '/\u{fffd}, line 1: v1beta3 is deprecated.',
  ]);
});
