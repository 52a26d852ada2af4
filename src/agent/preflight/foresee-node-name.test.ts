import { expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readDocument } from '../userdata/fixtures/read-document.ts';
import { foreseeNodeName } from './foresee-node-name.ts';

const userData = (override: string, registration = '', more = ''): string => `#cloud-config
${more}
write_files:
- path: /run/j.yaml
  content: |
    apiVersion: kubeadm.k8s.io/v1beta4
    kind: JoinConfiguration
    nodeRegistration:
      ${registration}
      kubeletExtraArgs:
      - {name: hostname-override, value: "${override}"}
    discovery:
      bootstrapToken:
        apiServerEndpoint: 10.0.0.1:6443
        token: abcdef.0123456789abcdef
        unsafeSkipCAVerification: true
runcmd:
- kubeadm join --config /run/j.yaml
`;
const read = (text: string) => readDocument(Buffer.from(text), { source: 'file', metaData: {} });
const foreseen = (text: string): string[] =>
  foreseeNodeName({ ...createLinuxHost({ root: scratch() }), hostname: () => 'n1' }, read(text)).map(
    ({ severity, code, message }) => `${severity} ${code} ${message}`,
  );

it('warns where the kubelet would register under another name than the machine has', () => {
  const says = (name: string): string[] => [
    `warning NodeNameWrong the kubelet would register as node-b7 (hostname-override) and kubeadm would look for ${name}, the machine's name.`,
  ];
  expect(foreseen(userData('node-b7'))).toEqual(says('n1'));
  expect(foreseen(userData('node-b7', '', 'hostname: w-4'))).toEqual(says('w-4'));
  expect(foreseen(userData('N1'))).toEqual([]);
  expect(foreseen(userData('node-b7', '', 'hostname: node-b7'))).toEqual([]);
  expect(foreseen(userData('$HOST'))).toEqual([]);
});

it('leaves two names of the configuration to its check, which refuses them', () => {
  expect(foreseen(userData('node-b7', 'name: w-4'))).toEqual([]);
});
