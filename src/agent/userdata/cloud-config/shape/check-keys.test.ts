import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../text/diagnostics.ts';
import { plainText } from '../../../text/source-text.ts';
import { parseYaml } from '../../../text/yaml/parse.ts';
import { topLevel } from '../read.ts';
import { warnOfShapes } from './check-keys.ts';

function warnings(text: string): string[] {
  const diagnostics = new Diagnostics();
  const root = parseYaml(plainText(text), diagnostics);
  if (root) warnOfShapes(topLevel(root, diagnostics), diagnostics);
  return diagnostics.entries.map(({ message, where }) => `${where?.line}:${where?.column} ${message}`);
}

describe("what differs from cloud-init's schema is told at its place", () => {
  test.each([
    ['bootcmd: []', '1:10 bootcmd is an empty list'],
    ['runcmd:\n- ls\n- 5', '3:3 runcmd.1 must be a string (put it in quotes) or a list, not a number'],
    ['disk_setup: []', 'disk_setup must be a mapping, not a list'],
    ['write_files: [{path: /a, permissions: 0644}]', 'permissions must be a string (put it in quotes)'],
    ['write_files:\n- content: x', '2:3 write_files.0 has no path'],
    ['ntp: {servers: [a, a]}', '1:20 ntp.servers has the same item twice'],
    ['ntp: {serves: [a]}', 'ntp.serves is not known'],
    ['ntp: {config: {}}', 'ntp.config is an empty mapping'],
    [
      'users:\n- name: a\n  expiredate: 2038,1,19',
      'must be a date in quotes, such as "2030-12-31", not this text',
    ],
    [
      'users: [{name: a, expiredate: 2038-01-19}]',
      'users.0.expiredate must be a date in quotes, such as "2030-12-31", not a date',
    ],
    ['users: [{name: a, groups: []}]', 'users.0.groups is an empty list'],
    ['users: [{name: a, doas: []}]', 'users.0.doas is an empty list'],
    ['user: {shell: /bin/sh}', 'user has no name'],
    ['groups: {a: []}', 'groups.a is an empty list'],
    [
      'mounts: [[a, b, c, d, 0.5, 2]]',
      'mounts.0.4 must be a string (put it in quotes) or a number from 0, not',
    ],
    ['yum_repos: {a: {baseurl: 5}}', 'yum_repos.a.baseurl must be a string'],
    ['zypper: {}', 'zypper is an empty mapping'],
    ['zypper: {repos: [{id: a}], config: {}}', 'zypper.repos.0 has no baseurl'],
    ['launch-index: x', 'launch-index must be a number'],
    ['vendor_data: {prefix: [1.5]}', 'vendor_data.prefix.0 must be'],
    ['users: [{name: a, lock-passwd: true}]', 'users.0.lock-passwd is an old spelling of lock_passwd'],
    ['users: [{name: a, shell: [x]}]', 'users.0.shell must be a string'],
    ['mounts: [[a, b, c, d, e, f, g]]', 'mounts.0 must have at most 6 items'],
    ['mount_default_fields: [a]', 'mount_default_fields must have 6 items'],
    ['power_state: {mode: reboot, delay: -5}', 'power_state.delay must be a number from 0 or now or minutes'],
    ['ssh_keys: {dsa_private: x}', 'ssh_keys.dsa_private is not one of the keys'],
    ['chpasswd: {users: [{name: a}]}', 'chpasswd.users.0 has no'],
    ['growpart: {mode: false, devices: /}', 'growpart.devices must be a list'],
    ['apt: {sources: {a: {}}}', 'apt.sources.a is an empty mapping'],
    ['yum_repos: {a: {b: [c]}}', 'yum_repos.a.b must be'],
    ['yum_repos: {a: {BASEURL: "http://h/"}}', 'yum_repos.a has no baseurl'],
    ['merge_how: [null]', 'merge_how.0 is empty'],
    ['merge_type: [{name: dict, settings: [x]}]', 'merge_type.0.settings.0 must be'],
    ['{mounts: [[a, b, c, d, null, 2]], swap: 5}', 'mounts.0.4 is empty'],
    ['{mounts: [[a, b, c, d]], swap: 5}', 'swap must be'],
    ['{}', 'has no keys'],
  ])('%j', (text, told) => {
    expect(warnings(text).join('\n')).toContain(told);
  });

  test.each([
    'runcmd: [ls, [ls, -l], null]',
    "write_files: [{path: /a, permissions: '0644', content: x, encoding: b64, append: true}]",
    'users: [default, {name: a, expiredate: "2038-01-19", sudo: false, uid: 5, groups: [a]}]',
    'users: {a: {shell: /bin/sh}}',
    'users: a, b',
    'ntp:',
    'fs_setup: [{device: /dev/sdb, filesystem: ext4, partition: auto, extra_opts: [-F]}]',
    'disk_setup: {/dev/sdb: {table_type: gpt, layout: [25, [75, 82]], overwrite: true}}',
    'groups: [a, {b: [c]}, {d: e}]',
    'resize_rootfs: noblock\ngrowpart: {mode: false}\nmanage_etc_hosts: localhost',
    'chef: {anything: 1}\nnobody: 5',
    'merge_how: list(append)+dict(recurse_list)\nmerge_type: [{name: list, settings: [append]}]',
    'yum_repos: {a: {metalink: "http://h/"}, b: {mirrorlist: "http://h/", enabled: false}}',
  ])('%j is as it should be', (text) => {
    expect(warnings(text)).toEqual([]);
  });

  test('a line of which something is told already is left out', () => {
    const diagnostics = new Diagnostics();
    const root = parseYaml(plainText('bootcmd: []'), diagnostics);
    diagnostics.warn('UserDataIgnoredKey', 'told', { line: 1, column: 1 });
    if (root) warnOfShapes(topLevel(root, diagnostics), diagnostics);
    expect(diagnostics.entries).toHaveLength(1);
  });
});
