/** What the machine shows makes kubeadm's words more exact. */
import { describe, expect, it } from 'vitest';
import { diagnose } from './diagnose.ts';
import { type Evidence, NO_EVIDENCE } from './evidence/evidence.ts';
import { shorten } from './patterns/pattern.ts';

const failed = (verb: 'init' | 'join', stderr: string, evidence: Partial<Evidence>) =>
  diagnose({ verb, stdout: '', stderr, exitStatus: 1 }, { ...NO_EVIDENCE, ...evidence });
const unit = (name: string, load: string, active: string) => ({
  ...{ name, load, active, sub: active === 'active' ? 'running' : 'dead', result: 'success' },
  ...{ restarts: 0, exitStatus: 0 },
});

describe('a criSocket', () => {
  const error =
    '[ERROR CRI]: could not connect to the container runtime: failed to create new CRI runtime service: validate service connection: validate CRI v1 runtime API for endpoint "unix:///var/run/crio/crio.sock": rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/run/crio/crio.sock: connect: no such file or directory"';

  it('of a runtime that is not installed never passes', () => {
    const units = [
      unit('crio.service', 'not-found', 'inactive'),
      unit('containerd.service', 'loaded', 'active'),
    ];
    expect(failed('join', error, { units })).toMatchObject({
      code: 'ContainerRuntimeUnsuitable',
      persistence: 'permanent',
      cause:
        'kubeadm uses the socket of CRI-O, which is not installed on this machine; containerd is running.',
    });
  });

  it('of one that is still to start may pass', () => {
    const units = [unit('crio.service', 'loaded', 'activating')];
    expect(failed('join', error, { units }).code).toBe('ContainerRuntimeDown');
  });
});

describe('a clock', () => {
  const error =
    "error execution phase preflight: couldn't validate the identity of the API Server: failed to request the cluster-info ConfigMap: client rate limiter Wait returned an error: context deadline exceeded";

  it('that is hours wrong is named before what stands in front of the API server', () => {
    const apiServer = {
      endpoint: '10.0.0.1:6443',
      failedAt: 'tls' as const,
      problem: 'x',
      clockAhead: -25_200,
    };
    expect(failed('join', error, { apiServer })).toMatchObject({
      code: 'ClockWrong',
      cause: "The clock of this machine is 7 hours behind the API server's.",
    });
    expect(failed('join', error, { apiServer: { ...apiServer, clockAhead: -20 } }).code).toBe(
      'ApiServerUnavailable',
    );
  });
});

describe('a proxy of which kubeadm has warned', () => {
  const error = `\t[WARNING HTTPProxy]: Connection to "https://10.20.0.11" uses proxy "http://user:secret@10.9.9.9:3128". If that is not intended, adjust your proxy settings
error execution phase wait-control-plane: couldn't initialize a Kubernetes cluster`;
  const pod = { name: 'kube-apiserver', state: 'running', restarts: 0, log: [] };

  it('is the reason where the API server runs', () => {
    const failure = failed('init', error, { staticPods: [pod] });
    expect(failure).toMatchObject({
      code: 'ApiServerUnreachable',
      remedy: expect.stringContaining('NO_PROXY'),
    });
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('is named, and no verdict, where nobody knows whether it runs', () => {
    const failure = failed('init', error, {});
    expect(failure).toMatchObject({
      code: 'ControlPlaneNotReady',
      cause: expect.stringContaining('through the proxy http://10.9.9.9:3128'),
    });
  });

  it('is nothing where etcd ends', () => {
    const etcd = { name: 'etcd', state: 'exited', exitCode: 1, restarts: 4, log: ['panic: x'] };
    expect(failed('init', error, { staticPods: [pod, etcd] }).code).toBe('EtcdCrashing');
  });
});

it('what is too long keeps its last words', () => {
  const said = shorten(`failed to do it: ${'because of that: '.repeat(40)}no such host`, 120);
  expect(said).toMatch(/^failed to do it: .* … .*no such host$/);
  expect(said.length).toBeLessThanOrEqual(120);
});
