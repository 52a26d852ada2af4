import { createHash, X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { clusterAuthorities } from './cluster-authorities.ts';

const { certificate } = Authority.create('kubernetes');
const own = createHash('sha256')
  .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
  .digest('hex');
const [one, two] = ['1'.repeat(64), '2'.repeat(64)];
const indented = certificate.trim().replaceAll('\n', '\n      ');

const join = (...digests: string[]) => `apiVersion: kubeadm.k8s.io/v1beta4
discovery:
  bootstrapToken:
    apiServerEndpoint: 10.0.0.1:6443
    caCertHashes:
${digests.map((digest) => `    - sha256:${digest}`).join('\n')}
    token: abcdef.0123456789abcdef
kind: JoinConfiguration
`;
const file = (content: string) => content.replaceAll('\n', '\n      ').trimEnd();
const of = (text: string) => clusterAuthorities(Buffer.from(text));

it('finds what a joining machine is told to believe', () => {
  const head =
    '## template: jinja\n#cloud-config\n\nwrite_files:\n-   path: /run/kubeadm/kubeadm-join-config.yaml\n';
  const rest = "    owner: root:root\nruncmd:\n  - 'kubeadm join'\n";
  expect(of(`${head}    content: |\n      ${file(join(one))}\n${rest}`)).toEqual([one]);
  expect(of(`${head}    content: |\n      ${file(join(one, two))}\n${rest}`)).toEqual([one, two]);
  expect(
    of(`${head}    content: |\n      name: '{{ ds.meta_data.local_hostname }}'\n      ${file(join(one))}\n`),
  ).toEqual([one]);
});

it('finds the authority that a control plane gets as a file', () => {
  const text = `#cloud-config\nwrite_files:\n-   path: /etc/kubernetes/pki/ca.crt\n    content: |\n      ${indented}\n`;
  expect(of(text)).toEqual([own]);
  const encoded = Buffer.from(certificate).toString('base64');
  expect(
    of(
      `#cloud-config\nwrite_files:\n- path: /etc/kubernetes/pki/ca.crt\n  encoding: b64\n  content: ${encoded}\n`,
    ),
  ).toEqual([own]);
  // An authority of etcd signs no kubelet's certificate.
  expect(of(text.replace('pki/ca.crt', 'pki/etcd/ca.crt'))).toEqual([]);
});

it('finds both in Ignition', () => {
  const files = [
    { path: '/etc/kubeadm.yml', contents: { source: `data:,${encodeURIComponent(join(two))}` } },
    {
      path: '/etc/kubernetes/pki/ca.crt',
      contents: { source: `data:text/plain;base64,${Buffer.from(certificate).toString('base64')}` },
    },
  ];
  expect(of(JSON.stringify({ ignition: { version: '2.3.0' }, storage: { files } }))).toEqual([two, own]);
});

it.each([
  ['text that is no YAML', '#cloud-config\nwrite_files: [\n'],
  ['a script', `#!/bin/sh\n# ${join(one)}`],
  [
    'a certificate that is none',
    '#cloud-config\nwrite_files:\n- path: /etc/kubernetes/pki/ca.crt\n  content: x\n',
  ],
  [
    'a URL that is damaged',
    JSON.stringify({ storage: { files: [{ path: 'a', contents: { source: 'data:,%zz' } }] } }),
  ],
  [
    'more than a token holds',
    `#cloud-config\nwrite_files:\n- path: /a\n  content: |\n      ${file(join(one, two, '3'.repeat(64), '4'.repeat(64)))}\n`,
  ],
])('finds none in %s', (_, text) => {
  expect(of(text)).toEqual([]);
});
