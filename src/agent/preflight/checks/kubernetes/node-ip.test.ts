import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { sensitive } from '../../../../secrets/sensitive.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { readCall } from '../../../kubeadm/config/read-call.ts';
import type { Task } from '../check.ts';
import { nodeIp } from './node-ip.ts';

describe('the check of the node IP', () => {
  let root: string;
  /** What `ip` and systemd say; undefined: there is no such program. */
  let ip: string | undefined;
  let environmentFiles: string;
  beforeEach(() => {
    root = scratch();
    ip = '1: eth0    inet 10.99.0.11/24 brd 10.99.0.255 scope global eth0\n';
    environmentFiles = 'EnvironmentFiles=/var/lib/kubelet/kubeadm-flags.env (ignore_errors=yes)\n';
  });

  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const machine = (addresses = ['10.99.0.11/24', 'fd00::b/64']): Host => {
    const host = createLinuxHost({ root });
    return {
      ...host,
      interfaceAddresses: () => [
        { name: 'lo', address: '127.0.0.1/8' },
        ...addresses.map((address) => ({ name: 'eth0', address })),
      ],
      processes: {
        ...host.processes,
        run: async ({ argv }) => {
          const stdout = argv[0] === 'ip' ? ip : environmentFiles;
          return {
            ...{ exitStatus: stdout === undefined ? 127 : 0, stdout: stdout ?? '', stderr: '' },
            ...{ timedOut: false, ms: 1 },
          };
        },
      },
    };
  };
  const configOf = (version: string, args: string) =>
    readCall(
      { kind: 'kubeadm', verb: 'join', args: sensitive(['--config', '/j']), configPath: '/j' },
      `apiVersion: kubeadm.k8s.io/${version}\nkind: JoinConfiguration\nnodeRegistration:\n  kubeletExtraArgs: ${args}\n`,
    ).config;
  const told = async (value: string, more: Partial<Task> = {}, host = machine(), version = 'v1beta4') => {
    const config = configOf(
      version,
      version === 'v1beta4' ? `[{name: node-ip, value: "${value}"}]` : `{node-ip: "${value}"}`,
    );
    const task = { attempted: false, mend: false, ...(config && { config }), ...more };
    return (await nodeIp.run(host, task)).map(
      ({ severity, code, message }) => `${severity} ${code} ${message}`,
    );
  };

  it.each(['v1beta3', 'v1beta4'])('refuses an address that no interface has, of %s', async (version) => {
    expect(await told('10.125.200.2', {}, machine(), version)).toEqual([
      'fatal NodeIpNotOnMachine --node-ip 10.125.200.2 is not an address of this machine (10.99.0.11 on eth0, fd00::b on eth0)',
    ]);
  });

  it.each([
    '10.99.0.11',
    '0.0.0.0',
    '::',
    '10.99.0.11,fd00::b',
    'fd00::b,10.99.0.11',
    'FD00:0:0::000b',
    '0:0:0:0:0:0:0:0',
    '{{ ds.meta_data.local_ipv4 }}',
    '$NODE_IP',
    '10.99.0.11,$V6',
    '$(hostname -I)',
  ])('says nothing of %s', async (value) => {
    expect(await told(value)).toEqual([]);
  });

  it('refuses the half of a pair that is not there', async () => {
    expect(await told('10.99.0.11,fd00::c')).toEqual([
      expect.stringMatching(/^fatal NodeIpNotOnMachine --node-ip fd00::c is not an address/),
    ]);
  });

  it('counts what has no link: a kubelet takes it', async () => {
    ip += '2: eth1    inet 10.125.200.2/24 scope global eth1\n3: eth2    inet6 fd01::1/64 scope global\n';
    expect(await told('10.125.200.2,fd01::1')).toEqual([]);
    ip = undefined;
    put('/proc/net/fib_trie', 'Local:\n        |-- 10.125.200.2\n           /32 host LOCAL\n');
    put('/proc/net/if_inet6', 'fd010000000000000000000000000001 03 40 00 80     eth2\n');
    expect(await told('10.125.200.2,fd01::1')).toEqual([]);
    expect(await told('10.125.200.3')).toHaveLength(1);
  });

  it('accuses nobody where the addresses are not known', async () => {
    expect(await told('10.125.200.2', {}, { ...machine(), interfaceAddresses: () => [] })).toEqual([]);
  });

  it('warns where a command after kubeadm may add it', async () => {
    expect(await told('10.125.200.2', { addressMayCome: true })).toEqual([
      expect.stringMatching(/^warning NodeIpNotOnMachine .*; a command after kubeadm may add it/),
    ]);
  });

  it.each(['/etc/default/kubelet', '/etc/sysconfig/kubelet'])('reads %s, which counts last', async (path) => {
    environmentFiles = `EnvironmentFiles=${path} (ignore_errors=yes)\n`;
    put(path, '#KUBELET_EXTRA_ARGS=--node-ip=10.0.0.1\nKUBELET_EXTRA_ARGS="--v=2 --node-ip=10.0.0.2"\n');
    expect(await told('10.99.0.11')).toEqual([
      expect.stringMatching(
        `^fatal NodeIpNotOnMachine --node-ip 10.0.0.2 \\(in ${path}\\) is not an address`,
      ),
    ]);
    put(path, 'KUBELET_EXTRA_ARGS=--node-ip=10.99.0.11\n');
    expect(await told('10.0.0.3')).toEqual([]);
    // The unit reads another file.
    environmentFiles = 'EnvironmentFiles=/etc/other (ignore_errors=yes)\n';
    put(path, 'KUBELET_EXTRA_ARGS=--node-ip=10.0.0.2\n');
    expect(await told('10.99.0.11')).toEqual([]);
  });
});
