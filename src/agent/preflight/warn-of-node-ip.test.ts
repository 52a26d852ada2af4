import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readDocument } from '../userdata/fixtures/read-document.ts';
import { warnOfNodeIp } from './warn-of-node-ip.ts';

const userData = (ip: string, before = '', more = ''): string => `#cloud-config
write_files:
- path: /run/j.yaml
  content: |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    nodeRegistration:
      kubeletExtraArgs:
      - {name: node-ip, value: "${ip}"}
${more}
runcmd:
${before}- kubeadm join --config /run/j.yaml
`;

const machine = (): Host => {
  const host = createLinuxHost({ root: scratch() });
  return {
    ...host,
    interfaceAddresses: () => [{ name: 'eth0', address: '10.99.0.11/24' }],
    processes: {
      ...host.processes,
      run: async () => ({ exitStatus: 127, stdout: '', stderr: '', timedOut: false, ms: 1 }),
    },
  };
};

const foreseen = async (text: string) =>
  (await warnOfNodeIp(machine(), readDocument(Buffer.from(text), { source: 'file', metaData: {} }))).map(
    ({ severity, code, message, where }) => `${severity} ${code} line ${where?.line}: ${message}`,
  );

it('warns of a node-ip that no interface has', async () => {
  expect(await foreseen(userData('10.125.200.2'))).toEqual([
    'warning NodeIpNotOnMachine line 3: node-ip 10.125.200.2 is not an address of this machine (10.99.0.11 on eth0); kubeadm would not run.',
  ]);
});

it.each([
  ['an address of the machine', userData('10.99.0.11')],
  ['a variable that is filled in', userData('$NODE_IP')],
  [
    'a command before kubeadm, which may add it',
    userData('10.125.200.2', '- ip addr add 10.125.200.2/24 dev eth0\n'),
  ],
  ['a command of each boot', userData('10.125.200.2', '', 'bootcmd: [/usr/local/bin/network]')],
  [
    'a file that sets up the network',
    userData('10.125.200.2', '', '- {path: /etc/netplan/90.yaml, content: a}'),
  ],
])('says nothing of %s', async (_, text) => {
  expect(await foreseen(text)).toEqual([]);
});
