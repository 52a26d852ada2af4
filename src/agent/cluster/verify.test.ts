import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { awaitReady } from './await-ready.ts';
import { endpointProblem } from './check-endpoint.ts';
import { nodeAddressProblem } from './node-addresses.ts';
import { type VerifySpec, verifyNode } from './verify.ts';

const CLIENT = '/var/lib/kubelet/pki/kubelet-client-current.pem';

describe('verifyNode', () => {
  let root: string;
  let pki: string;
  let kubelet: Server;
  let api: Server;
  let health = 200;
  let node: { status: number; body: string };
  let asked: string[];
  let onWatch: ((send: (line: string) => void) => void) | undefined;

  beforeAll(async () => {
    pki = mkdtempSync(join(tmpdir(), 'slipway-verify-pki-'));
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: pki, stdio: 'pipe' });
    const key = (name: string) =>
      openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
    const sign = (name: string, subject: string, extensions: string) => {
      key(name);
      openssl('req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`);
      writeFileSync(join(pki, `${name}.ext`), extensions);
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        '-CA',
        'ca.crt',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
        '-days',
        '2',
        '-extfile',
        `${name}.ext`,
        '-out',
        `${name}.crt`,
      );
    };
    key('ca');
    openssl(
      'req',
      '-x509',
      '-new',
      '-key',
      'ca.key',
      '-subj',
      '/CN=kubernetes',
      '-days',
      '2',
      '-out',
      'ca.crt',
    );
    sign('server', '/CN=kube-apiserver', 'subjectAltName=IP:127.0.0.1\n');
    sign('client', '/O=system:nodes/CN=system:node:n1', 'extendedKeyUsage=clientAuth\n');
    kubelet = createHttpServer((_, answer) => answer.writeHead(health).end());
    api = createServer(
      {
        key: pem('server.key'),
        cert: pem('server.crt'),
        ca: pem('ca.crt'),
        requestCert: true,
        rejectUnauthorized: true,
      },
      (request, answer) => {
        const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
        asked.push(`${CN} ${request.url}`);
        if (onWatch !== undefined && request.url?.includes('watch=true')) {
          answer.writeHead(200).flushHeaders();
          return onWatch((line) => answer.write(line));
        }
        answer.writeHead(node.status).end(node.body);
      },
    );
    for (const server of [kubelet, api])
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
  });
  afterAll(() => {
    kubelet.close();
    api.close();
    api.closeAllConnections();
    rmSync(pki, { recursive: true, force: true });
  });

  beforeEach(() => {
    root = scratch();
    health = 200;
    asked = [];
    onWatch = undefined;
    node = { status: 200, body: object('aws:///eu/i-1', 'True') };
    put('/var/lib/kubelet/config.yaml', `healthzPort: ${port(kubelet)}\n`);
    put(CLIENT, `${pem('client.crt')}${pem('client.key')}`);
    put('/etc/kubernetes/kubelet.conf', kubeconfig(port(api)));
  });

  const pem = (name: string) => readFileSync(join(pki, name), 'utf8');
  const port = (server: Server) => (server.address() as AddressInfo).port;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const kubeconfig = (at: number) => `apiVersion: v1
kind: Config
current-context: default
clusters:
- name: other
  cluster: {server: "https://127.0.0.1:1"}
- name: c
  cluster:
    server: https://127.0.0.1:${at}
    certificate-authority-data: ${Buffer.from(pem('ca.crt')).toString('base64')}
contexts: [{name: default, context: {cluster: c, user: u}}]
users: [{name: u, user: {client-certificate: ${CLIENT}, client-key: ${CLIENT}}}]
`;
  const object = (providerID: string | undefined, ready: string) =>
    JSON.stringify({
      kind: 'Node',
      metadata: { name: 'n1' },
      spec: { providerID },
      status: {
        conditions: [{ type: 'Ready', status: ready, reason: 'KubeletNotReady', message: 'no CNI' }],
      },
    });
  /** Time passes where it is waited, and nowhere else. */
  const quickHost = (): Host => {
    const host = createLinuxHost({ root });
    let now = 0;
    const sleep = async (ms: number) => {
      now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { ...host, clock: { ...host.clock, monotonic: () => now, sleep } };
  };
  const verify = (config: Partial<VerifySpec['config']> = {}, signal = new AbortController().signal) =>
    verifyNode(quickHost(), {
      config: { nodeName: 'N1', skipPhases: [], ...config },
      signal,
      onProgress: () => undefined,
      patienceMs: 800,
    });

  it('is content with a healthy kubelet and its Node, asked for with the certificate of the kubelet', async () => {
    expect(await verify({ providerId: 'aws:///eu/i-1' })).toEqual({ ok: true, nodeName: 'n1' });
    expect(asked).toEqual(['system:node:n1 /api/v1/nodes/n1']);
    expect(await verify()).toEqual({ ok: true, nodeName: 'n1' });
  });

  it('tells a wrong provider ID at once', async () => {
    expect(await verify({ providerId: 'aws:///eu/i-2' })).toMatchObject({
      ok: false,
      final: true,
      failure: {
        code: 'NodeProviderIdWrong',
        cause: expect.stringMatching(/"aws:\/\/\/eu\/i-1".*"aws:\/\/\/eu\/i-2"/),
      },
    });
    expect(asked).toHaveLength(1);
  });

  it('waits for a provider ID, and not for ever', async () => {
    node = { status: 200, body: object(undefined, 'True') };
    expect(await verify({ providerId: 'a' })).toMatchObject({
      final: true,
      failure: { code: 'NodeProviderIdWrong' },
    });
    const promise = verify({ providerId: 'a' });
    node = { status: 200, body: object('a', 'False') };
    expect(await promise).toMatchObject({ ok: true });
  });

  it('tells a node of another name', async () => {
    expect(await verify({ nodeName: 'n2' })).toMatchObject({
      final: true,
      failure: { code: 'NodeNameWrong' },
    });
  });

  it('waits for the kubelet and the Node', async () => {
    health = 500;
    expect(await verify()).toMatchObject({
      final: true,
      failure: {
        code: 'KubeletUnhealthy',
        cause: expect.stringMatching(/^kubeadm succeeded, but .*status 500/),
      },
    });
    const promise = verify();
    health = 200;
    expect(await promise).toMatchObject({ ok: true });
    node = { status: 404, body: '' };
    expect(await verify()).toMatchObject({ final: true, failure: { code: 'NodeNotRegistered' } });
  });

  it('ends with the deadline, leaving it open', async () => {
    node = { status: 404, body: '' };
    expect(await verify({}, AbortSignal.abort())).toMatchObject({ ok: false, final: false });
  });

  it('does not blame the bootstrap token for a kubelet that is not let in', async () => {
    node = { status: 401, body: '' };
    const remedy = expect.stringContaining('client certificate');
    expect(await verify()).toMatchObject({ failure: { code: 'CredentialsRejected', remedy } });
  });

  it('believes kubeadm where the Node cannot be seen', async () => {
    node = { status: 403, body: '' };
    expect(await verify()).toMatchObject({ ok: true, warning: { code: 'PermissionDenied' } });
    put('/etc/kubernetes/kubelet.conf', kubeconfig(1));
    expect(await verify()).toMatchObject({ ok: true, warning: { code: 'ApiServerUnreachable' } });
  });

  it('asks the API server of its own control plane', async () => {
    put('/etc/kubernetes/kubelet.conf', kubeconfig(1));
    const key = 'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint';
    put(
      '/etc/kubernetes/manifests/kube-apiserver.yaml',
      `metadata:\n  annotations:\n    ${key}: 127.0.0.1:${port(api)}\n`,
    );
    expect(await verify()).toEqual({ ok: true, nodeName: 'n1' });
  });

  it('sees the node become Ready, or says why it is not', async () => {
    const host = quickHost();
    node = { status: 200, body: object(undefined, 'False') };
    const { signal } = new AbortController();
    expect(await awaitReady(host, 300, signal)).toEqual({ ready: false, why: 'KubeletNotReady: no CNI' });
    const promise = awaitReady(host, 5_000, signal);
    node = { status: 200, body: object(undefined, 'True') };
    expect(await promise).toMatchObject({ ready: true });
  });

  describe('the addresses of the Node', () => {
    const withAddresses = (addresses: [string, string][], more = {}, ready: string | null = 'True') =>
      JSON.stringify({
        kind: 'Node',
        metadata: { name: 'n1' },
        spec: more,
        status: {
          conditions: ready === null ? [] : [{ type: 'Ready', status: ready }],
          addresses: addresses.map(([type, address]) => ({ type, address })),
        },
      });
    const trouble = (body: string, own = ['10.99.0.11/24', 'fd00::b/64']) => {
      node = { status: 200, body };
      const interfaceAddresses = () => own.map((address) => ({ name: 'eth0', address }));
      return nodeAddressProblem({ ...quickHost(), interfaceAddresses }, new AbortController().signal);
    };

    it('are told where there is none, or none of this machine', async () => {
      expect(await trouble(withAddresses([['Hostname', 'n1']]))).toBe('the Node "n1" has no IP address');
      expect(await trouble(withAddresses([]))).toBe('the Node "n1" has no IP address');
      expect(await trouble(withAddresses([['InternalIP', '10.125.200.2']], {}, 'False'))).toBe(
        'the Node "n1" has only addresses that this machine does not have (10.125.200.2)',
      );
    });

    it.each<[string, [string, string][], object?, string?]>([
      ['its own', [['InternalIP', '10.99.0.11']]],
      ['its own in another spelling', [['InternalIP', 'FD00:0::b']]],
      [
        'its own and that of a NAT',
        [
          ['ExternalIP', '203.0.113.9'],
          ['InternalIP', '10.99.0.11'],
        ],
      ],
      [
        'those that a cloud controller has yet to set',
        [],
        { taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' }] },
      ],
    ])('are not: %s', async (_, addresses, spec) => {
      expect(await trouble(withAddresses(addresses, spec))).toBeUndefined();
    });

    it('are not where the kubelet has told nothing yet, or the machine does not know its own', async () => {
      expect(await trouble(withAddresses([], {}, null))).toBeUndefined();
      expect(await trouble(withAddresses([]), [])).toBeUndefined();
    });

    it('may come a moment after the taint has gone', async () => {
      const promise = trouble(withAddresses([]));
      node = { status: 200, body: withAddresses([['InternalIP', '10.99.0.11']]) };
      expect(await promise).toBeUndefined();
    });
  });

  it('asks the endpoint of the control plane, and takes any answer', async () => {
    expect(await endpointProblem(quickHost(), `127.0.0.1:${port(api)}`)).toBeUndefined();
    expect(await endpointProblem(quickHost(), '127.0.0.1:1')).toBe('ECONNREFUSED');
    expect(await endpointProblem(quickHost(), '[::1]:1')).toBe('ECONNREFUSED');
  });

  it('is told by the API server when the node becomes Ready, and does not ask until then', async () => {
    const host = createLinuxHost({ root });
    // No pause ends by itself, but for the short one in which changes are gathered.
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (ms <= 50 || signal?.aborted) resolve();
        signal?.addEventListener('abort', () => resolve());
      });
    node = { status: 200, body: object(undefined, 'False') };
    onWatch = (send) => {
      node = { status: 200, body: object(undefined, 'True') };
      send(`${JSON.stringify({ type: 'MODIFIED' })}\n`);
    };
    const { signal } = new AbortController();
    expect(await awaitReady({ ...host, clock: { ...host.clock, sleep } }, 60_000, signal)).toMatchObject({
      ready: true,
    });
    expect(asked.map((line) => line.replace(/^\S+ |&timeout.*/g, ''))).toEqual([
      '/api/v1/nodes/n1',
      '/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Dn1',
      '/api/v1/nodes/n1',
    ]);
  });

  it('is told by the API server when the Node comes, and does not ask until then', async () => {
    const host = createLinuxHost({ root });
    const sleep = (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (ms <= 50 || signal?.aborted) resolve();
        signal?.addEventListener('abort', () => resolve());
      });
    node = { status: 404, body: '' };
    onWatch = (send) => {
      node = { status: 200, body: object(undefined, 'False') };
      send(`${JSON.stringify({ type: 'ADDED' })}\n`);
    };
    const told: string[] = [];
    const verdict = await verifyNode(
      { ...host, clock: { ...host.clock, sleep } },
      {
        config: { nodeName: 'n1', skipPhases: [] },
        signal: new AbortController().signal,
        onProgress: (message) => told.push(message),
      },
    );
    expect(verdict).toEqual({ ok: true, nodeName: 'n1' });
    expect(told).toEqual(['kubeadm is done; waiting: the Node "n1" is not in the cluster']);
    expect(asked.map((line) => line.replace(/^\S+ |&timeout.*/g, ''))).toEqual([
      '/api/v1/nodes/n1',
      '/api/v1/nodes?watch=true&fieldSelector=metadata.name%3Dn1',
      '/api/v1/nodes/n1',
    ]);
  });

  it('reads a Node with a long list of images', async () => {
    const images = Array.from({ length: 2_000 }, (_, at) => ({
      names: [`registry.example/a/long/name/${at}`],
    }));
    const long = JSON.parse(object('a\\"b', 'True'));
    node = { status: 200, body: JSON.stringify({ ...long, status: { images, ...long.status } }) };
    expect(await verify({ providerId: 'a\\"b' })).toEqual({ ok: true, nodeName: 'n1' });
  });

  it('takes the page of a proxy for no Node', async () => {
    node = { status: 200, body: '<html>Log in</html>' };
    expect(await verify({ providerId: 'a' })).toMatchObject({
      ok: true,
      warning: { code: 'ApiServerUnreachable', message: expect.stringMatching(/not an API server/) },
    });
  });
});
