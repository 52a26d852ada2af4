import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readToken } from './bootstrap-token.ts';
import { configureKubelet, writeKubeletConfig } from './kubelet-setup.ts';

let root: string;
let host: Host;
let ran: string[];
let version: string;

beforeEach(() => {
  root = scratch();
  ran = [];
  version = 'Kubernetes v1.20.2\n';
  const real = createLinuxHost({ root });
  const run = async ({ argv }: { argv: readonly string[] }) => {
    ran.push(argv.join(' '));
    return { exitStatus: 0, stdout: version, stderr: '', timedOut: false };
  };
  host = { ...real, processes: { ...real.processes, run } as unknown as Host['processes'] };
  mkdirSync(join(root, 'etc/kubernetes'), { recursive: true });
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  writeFileSync(join(root, 'usr/bin/kubelet'), '');
});

const CONFIG = 'etc/kubernetes/kubelet.conf';
const UNIT = 'etc/systemd/system/kubelet.service.d/20-slipway-credential.conf';
const bootstrap = () =>
  writeFileSync(
    join(root, 'etc/kubernetes/bootstrap-kubelet.conf'),
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [
        { name: 'k', cluster: { server: 'https://10.0.0.1:6443', 'certificate-authority-data': 'UEVN' } },
      ],
      users: [{ name: 'u', user: { token: 'abcdef.0123456789abcdef' } }],
    }),
  );
const written = () => JSON.parse(readFileSync(join(root, CONFIG), 'utf8'));

it('writes a kubeconfig that fits the kubelet, without the token, once there is a cluster', async () => {
  expect(await writeKubeletConfig(host, 'n1', '/opt/bin/slipway')).toBe(false);
  bootstrap();
  expect(await writeKubeletConfig(host, 'n1', '/opt/bin/slipway')).toBe(true);
  expect(written().clusters[0].cluster).toEqual({
    server: 'https://10.0.0.1:6443',
    'certificate-authority-data': 'UEVN',
  });
  expect(written().users[0].user.exec).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: '/opt/bin/slipway',
    args: ['credential', '--node=n1'],
  });
  expect(statSync(join(root, CONFIG)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(root, CONFIG), 'utf8')).not.toContain('abcdef');
  // kubeadm takes it away as soon as there is this kubeconfig.
  rmSync(join(root, 'etc/kubernetes/bootstrap-kubelet.conf'));
  expect((await readToken(host, 'PEM'))?.reveal()).toBe('abcdef.0123456789abcdef');
});

it('says to newer kubelets that there is nobody to ask', async () => {
  bootstrap();
  version = 'Kubernetes v1.36.0\n';
  await writeKubeletConfig(host, 'n1', '/usr/bin/slipway');
  expect(written().users[0].user.exec).toMatchObject({
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
  });
});

it('leaves a kubeconfig that is there as it is', async () => {
  bootstrap();
  writeFileSync(join(root, CONFIG), 'mine');
  expect(await writeKubeletConfig(host, 'n1', '/usr/bin/slipway')).toBe(false);
  expect(readFileSync(join(root, CONFIG), 'utf8')).toBe('mine');
});

it('tells systemd of a change, and of nothing else', async () => {
  await configureKubelet(host, undefined, '/usr/bin/slipway');
  expect(ran).toEqual([]);
  for (const _ of [1, 2]) await configureKubelet(host, 'n1', '/usr/bin/slipway');
  expect(ran).toEqual(['systemctl daemon-reload']);
  expect(readFileSync(join(root, UNIT), 'utf8')).toContain('--rotate-certificates=false');
  await configureKubelet(host, undefined, '/usr/bin/slipway');
  expect(existsSync(join(root, UNIT))).toBe(false);
  expect(ran).toHaveLength(2);
});
