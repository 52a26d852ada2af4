import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeTinyRoot } from '../../../../../test/support/tiny-root.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { programs } from './programs.ts';

const ALL = ['cp', 'losetup', 'mount', 'ip', 'iptables', 'nsenter', 'conntrack', 'crictl', 'kubelet'];

/** What is told of a machine that lacks these programs. */
async function told(lacks: readonly string[], kubeadmMinor?: number): Promise<string[]> {
  const root = makeTinyRoot();
  try {
    mkdirSync(join(root.path, 'opt/bin'), { recursive: true });
    for (const name of ALL.filter((one) => !lacks.includes(one))) {
      writeFileSync(join(root.path, 'opt/bin', name), '#!/bin/sh\n');
      chmodSync(join(root.path, 'opt/bin', name), 0o755);
    }
    const task = { attempted: false, mend: false, ...(kubeadmMinor === undefined ? {} : { kubeadmMinor }) };
    const findings = await programs.run(createLinuxHost({ root: root.path }), task);
    return findings.map(({ severity, message }) => `${severity} ${message.split(' ')[2]}`).sort();
  } finally {
    root.remove();
  }
}

it.each([
  [20, 'iptables', 'fatal iptables'],
  [32, 'iptables', 'fatal iptables'],
  [33, 'iptables', 'warning iptables'],
  [36, 'iptables', 'warning iptables'],
  [31, 'conntrack', 'fatal conntrack'],
  [32, 'conntrack', 'warning conntrack'],
  [30, 'crictl', 'fatal crictl'],
  [33, 'losetup', 'fatal losetup'],
  [36, 'losetup', 'fatal losetup'],
  [36, 'kubelet', 'fatal kubelet'],
])('1.%i without %s: %s', async (minor, name, expected) =>
  expect(await told([name], minor)).toEqual([expected]),
);

it.each([
  [31, 'crictl'],
  [32, 'losetup'],
  [33, 'nsenter'],
  [36, 'ip'],
])('1.%i does without %s', async (minor, name) => expect(await told([name], minor)).toEqual([]));

it('accuses nobody in the name of a kubeadm that is not known', async () =>
  expect(await told(['ip', 'nsenter', 'crictl', 'losetup'])).toEqual([]));
