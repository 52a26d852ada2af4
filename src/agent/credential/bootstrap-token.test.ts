import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { Sensitive } from '../../secrets/sensitive.ts';
import { writeKubeletCredential } from '../cluster/kubelet-credential.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { deleteToken, readToken, storeToken } from './bootstrap-token.ts';
import { obtainCredential } from './credential.ts';

let root: string;
let host: Host;
const KEPT = 'var/lib/slipway/credential/bootstrap.json';
const TOKEN = 'abcdef.0123456789abcdef';

beforeEach(() => {
  root = scratch();
  host = createLinuxHost({ root });
  mkdirSync(join(root, 'etc/kubernetes'), { recursive: true });
});

const byKubeadm = (token: string) =>
  writeFileSync(
    join(root, 'etc/kubernetes/bootstrap-kubelet.conf'),
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: 'https://10.0.0.1:6443' } }],
      users: [{ name: 'u', user: { token } }],
    }),
  );
const told = async (ca: string) => (await readToken(host, ca))?.reveal();

it('is there when kubeadm has taken it away, for its own cluster and for root alone', async () => {
  await storeToken(host, { server: 'https://10.0.0.1:6443', ca: 'CA', token: new Sensitive(TOKEN) });
  expect(await told('CA')).toBe(TOKEN);
  expect(await told('another CA')).toBeUndefined();
  expect(statSync(join(root, KEPT)).mode & 0o777).toBe(0o600);
  await deleteToken(host);
  expect(existsSync(join(root, KEPT))).toBe(false);
  expect(await told('CA')).toBeUndefined();
});

it("is kubeadm's where there is a newer one", async () => {
  await storeToken(host, { server: 'https://10.0.0.1:6443', ca: 'CA', token: new Sensitive(TOKEN) });
  byKubeadm('fedcba.0123456789abcdef');
  expect(await told('CA')).toBe('fedcba.0123456789abcdef');
  rmSync(join(root, 'etc/kubernetes/bootstrap-kubelet.conf'));
  expect(await told('CA')).toBe(TOKEN);
});

it('is none where the file is torn', async () => {
  await storeToken(host, { server: 'https://10.0.0.1:6443', ca: 'CA', token: new Sensitive(TOKEN) });
  writeFileSync(join(root, KEPT), '{"cluster');
  expect(await told('CA')).toBeUndefined();
});

it('is not kept beside a certificate that is fresh', async () => {
  const pem = execFileSync(
    'openssl',
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=n1 -days 2 -keyout -'.split(
      ' ',
    ),
    { stdio: 'pipe' },
  ).toString();
  const [key = '', certificate = ''] = pem.split(/(?=-----BEGIN CERTIFICATE)/);
  await writeKubeletCredential(host, { nodeName: 'n1', ca: 'CA' }, { certificate, key });
  const kubeconfig = '/etc/kubernetes/kubelet.conf';
  const cluster = { server: 'https://10.0.0.1:6443', 'certificate-authority-data': 'Q0E=' };
  writeFileSync(
    join(root, kubeconfig),
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster }],
      users: [{ name: 'u', user: {} }],
    }),
  );
  await storeToken(host, { server: cluster.server, ca: 'CA', token: new Sensitive(TOKEN) });
  expect((await obtainCredential(host, { nodeName: 'n1', kubeconfig })).credential.certificate).toBe(
    certificate,
  );
  expect(existsSync(join(root, KEPT))).toBe(false);
});
