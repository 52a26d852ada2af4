import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubeadm } from '../../../../../test/support/kubeadm/fake-kubeadm.ts';
import { Authority } from '../../../../pki/authority.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { findEndpoints, ownPeerUrl, readEtcdCredentials } from './endpoints.ts';

const pod = (urls?: string) => ({
  metadata: {
    annotations: urls === undefined ? {} : { 'kubeadm.kubernetes.io/etcd.advertise-client-urls': urls },
  },
});

describe('where the members of etcd are', () => {
  let machine: FakeKubeadm;
  let host: Host;
  let server: Server;
  let answer: { status: number; body: unknown };
  let asked: string[];

  beforeEach(async () => {
    machine = new FakeKubeadm();
    host = createLinuxHost({ root: machine.root.path });
    const { certificate, privateKey } = Authority.create('cluster');
    asked = [];
    server = createServer(
      // As with --tls-max-version, or a load balancer that ends TLS.
      { ...new Authority(certificate, privateKey).server(['127.0.0.1'], 3_600_000), maxVersion: 'TLSv1.2' },
      (request, response) => {
        asked.push(request.url ?? '');
        response.writeHead(answer.status).end(JSON.stringify(answer.body));
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const cluster = {
      server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
      'certificate-authority-data': Buffer.from(certificate).toString('base64'),
    };
    machine.put(
      '/etc/kubernetes/admin.conf',
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user: {} }],
      }),
    );
  });
  afterEach(async () => {
    machine.root.remove();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('is noted by kubeadm on their pods', async () => {
    const items = [pod('https://10.0.0.1:2379'), pod('https://[fd00::2]:2379'), pod(), pod('not a url')];
    answer = { status: 200, body: { items } };
    expect(await findEndpoints(host)).toEqual({
      kind: 'found',
      urls: ['https://10.0.0.1:2379', 'https://[fd00::2]:2379'],
    });
    expect(asked).toEqual([expect.stringContaining('labelSelector=component%3Detcd')]);
  });

  it('is nowhere on the control planes where etcd is external', async () => {
    answer = { status: 200, body: { items: [] } };
    expect(await findEndpoints(host)).toEqual({ kind: 'none' });
  });

  it('is not known where the answer is no list of pods', async () => {
    for (const body of ['<html>', 7, null, {}, { items: 'x' }]) {
      answer = { status: 200, body };
      expect(await findEndpoints(host)).toMatchObject({ kind: 'unknown' });
    }
    const odd = { metadata: { annotations: { 'kubeadm.kubernetes.io/etcd.advertise-client-urls': 7 } } };
    answer = { status: 200, body: { items: [null, 7, odd, pod('mailto:a,https://10.0.0.1:2379')] } };
    expect(await findEndpoints(host)).toEqual({ kind: 'found', urls: ['https://10.0.0.1:2379'] });
  });

  it('stands in the manifest of this machine where the cluster does not answer', async () => {
    answer = { status: 503, body: {} };
    expect(await findEndpoints(host)).toMatchObject({ kind: 'unknown', why: expect.stringContaining('503') });
    machine.put(
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
      '    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.2:6443\n',
    );
    machine.put(
      '/etc/kubernetes/manifests/etcd.yaml',
      '    - --initial-cluster=cp2=https://10.0.0.2:2380,cp1=https://10.0.0.1:2380\n',
    );
    expect(await ownPeerUrl(host)).toBe('https://10.0.0.2:2380');
    expect(await findEndpoints(host)).toEqual({ kind: 'found', urls: ['https://10.0.0.1:2379'] });
  });

  it('is asked with the first pair that is whole', async () => {
    const pki = '/etc/kubernetes/pki';
    expect(await readEtcdCredentials(host)).toBeUndefined();
    machine.put(`${pki}/etcd/ca.crt`, 'CA');
    machine.put(`${pki}/etcd/healthcheck-client.crt`, 'H');
    machine.put(`${pki}/apiserver-etcd-client.crt`, 'A');
    machine.put(`${pki}/apiserver-etcd-client.key`, 'K');
    expect(await readEtcdCredentials(host)).toEqual({ ca: 'CA', certificate: 'A', key: 'K' });
  });

  it('knows an IPv6 address by its brackets', async () => {
    machine.put(
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
      'metadata:\n  annotations:\n    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: "[fd00::2]:6443"\n',
    );
    expect(await ownPeerUrl(host)).toBe('https://[fd00::2]:2380');
    machine.put('/etc/kubernetes/manifests/kube-apiserver.yaml', '    - --advertise-address=fd00::3\n');
    expect(await ownPeerUrl(host)).toBe('https://[fd00::3]:2380');
  });
});
