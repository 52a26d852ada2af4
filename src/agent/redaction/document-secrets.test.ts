import { expect, it } from 'vitest';
import { sensitive } from '../../secrets/sensitive.ts';
import { readDocument } from '../userdata/fixtures/read-document.ts';
import { documentSecrets } from './document-secrets.ts';

const USER_DATA = `#cloud-config
users:
- name: ops
  plain_text_passwd: plain pass-word
- name: dev
  hashed_passwd: $6$salt$0123456789abcdefghij
- name: short
  plain_text_passwd: abc
write_files:
- path: /root/.docker/config.json
  permissions: '0600'
  content: '{"auths": {"registry.example": {"auth": "dXNlcjpyZWdpc3RyeQ=="}}}'
- path: /run/kubeadm/kubeadm.yaml
  content: |
    kind: InitConfiguration
    certificateKey: ${'c0ffee'.repeat(10)}c0ff
- path: /etc/vault-token
  permissions: '0400'
  content: "hvs.CAESIplanted\\n"
- path: /etc/db
  source: {uri: "vault-wrapped:///secret/data/db?token=hvs.wrapping-planted"}
- path: /etc/fetched
  source: {uri: "https://user:url-word@files.example/x", headers: {X-Plain: header-word}}
- path: /etc/motd
  content: welcome-to-this-machine
runcmd:
- echo 'root:chpasswd-word' | chpasswd
- curl -u "user:curl-word" https://example.com; export API_TOKEN=token-word; true
slipway:
  proxy: {http: "http://user:pr%20xy@proxy:3128"}
  secrets: {vault: {address: "https://vault.example", appRole: {roleId: r, secretId: secret-id-word}}}
`;

const document = readDocument(Buffer.from(USER_DATA), { source: 'test', metaData: {} });

it('knows the secrets of user data', () => {
  expect(document.report.filter(({ severity }) => severity === 'error')).toEqual([]);
  const secrets = documentSecrets(document);
  for (const secret of [
    'plain pass-word',
    '$6$salt$0123456789abcdefghij',
    'dXNlcjpyZWdpc3RyeQ==',
    `${'c0ffee'.repeat(10)}c0ff`,
    'hvs.CAESIplanted',
    'chpasswd-word',
    'curl-word',
    'token-word',
    'pr%20xy',
    'hvs.wrapping-planted',
    'url-word',
    'header-word',
    'secret-id-word',
  ])
    expect(secrets).toContain(secret);
});

it('takes neither short words nor what everybody may read for a secret', () => {
  const secrets = documentSecrets(document);
  for (const word of ['abc', 'welcome-to-this-machine', 'root', 'https://example.com'])
    expect(secrets).not.toContain(word);
});

it('takes no name in the next line for the value of a name in this one', () => {
  const text = `#cloud-config
write_files:
- path: /run/kubeadm/join.yaml
  content: |
    kind: JoinConfiguration
    discovery:
      bootstrapToken:
        apiServerEndpoint: 192.0.2.1:6443
        token: abcdef.0123456789abcdef
runcmd: [kubeadm join --config /run/kubeadm/join.yaml]
`;
  const read = readDocument(Buffer.from(text), { source: 'test', metaData: {} });
  expect(documentSecrets(read)).toEqual(['0123456789abcdef']);
});

it('knows the secrets of keys that are ignored, upon which cloud-init acts', () => {
  const text = `#cloud-config
password: default-users-word
chpasswd: {list: "root:word-of-root\\nops:word-of-ops", users: [{name: dev, password: word-of-dev}]}
phone_home: {url: "https://user:word-of-home@example.com/"}
`;
  const found = documentSecrets(readDocument(Buffer.from(text), { source: 'test', metaData: {} }));
  for (const word of ['default-users-word', 'word-of-root', 'word-of-ops', 'word-of-dev', 'word-of-home'])
    expect(found).toContain(word);
});

it('knows the passwords and keys of a network that netplan sets up', () => {
  const netplan = sensitive(
    JSON.stringify({
      network: {
        wifis: { wlan0: { 'access-points': { home: { password: 'wifi-planted' } } } },
        ethernets: { e0: { auth: { 'key-management': '802.1x', 'client-key-password': 'radius-planted' } } },
        tunnels: {
          wg0: { key: 'd2lyZWd1YXJk=', peers: [{ keys: { public: 'cHVibGlj', shared: 'c2hhcmVk' } }] },
        },
      },
    }),
  );
  const network = {
    place: 'x',
    links: [],
    dns: { servers: [], search: [] },
    routes: [],
    netplan,
    onlyNetplan: [],
  };
  expect(documentSecrets({ network }).sort()).toEqual([
    'c2hhcmVk',
    'd2lyZWd1YXJk=',
    'radius-planted',
    'wifi-planted',
  ]);
});
