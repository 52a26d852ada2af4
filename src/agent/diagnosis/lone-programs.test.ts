/** What the programs of a node say where nothing of kubeadm is there: whole, torn, behind words of somebody's, in one line. */
import { describe, expect, it } from 'vitest';
import { code, verdict } from '../../../test/support/logs/log-verdict.ts';

describe("containerd's journal", () => {
  const at = 'Jan 10 10:00:01 n1';
  const STARTS = `${at} containerd[42]: time="2025-01-10T10:00:01Z" level=info msg="starting containerd" version=v2.0.1`;
  const BROKEN = `${at} containerd[42]: containerd: failed to load TOML: /etc/containerd/config.toml: (12, 3): duplicate keys`;
  const ENDS = `${at} systemd[1]: containerd.service: Main process exited, code=exited, status=1/FAILURE`;
  const BOOTED = `${at} containerd[43]: time="2025-01-10T10:00:09Z" level=info msg="containerd successfully booted in 0.05s"`;

  it('alone tells why it ended', () => {
    expect(verdict(STARTS, BROKEN, ENDS).failure).toMatchObject({
      code: 'ContainerRuntimeUnsuitable',
      cause: 'containerd cannot read its configuration at line 12, column 3: duplicate keys.',
    });
    expect(code(STARTS, BROKEN)).toBe('ContainerRuntimeUnsuitable');
  });

  it('accuses none that came up after that', () => {
    expect(code(STARTS, BROKEN, ENDS, BOOTED)).toBe('nothing');
    expect(code(STARTS, BOOTED)).toBe('nothing');
  });

  it('is what a kubelet that cannot reach it rests on', () => {
    const kubelet = `${at} kubelet[7]: E0110 10:00:01.000001       7 run.go:74] "command failed" err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint \\"unix:///run/containerd/containerd.sock\\": rpc error: code = Unavailable desc = connection error: desc = \\"transport: Error while dialing: dial unix /run/containerd/containerd.sock: connect: no such file or directory\\""`;
    expect(code(kubelet)).toBe('ContainerRuntimeDown');
    expect(verdict(STARTS, BROKEN, ENDS, kubelet).failure?.cause).toMatch(/line 12, column 3/);
  });

  it('tells why no pod starts', () => {
    const failed = (why: string): string =>
      `${at} containerd[42]: time="2025-01-10T10:00:05Z" level=error msg="RunPodSandbox for &PodSandboxMetadata{Name:etcd-n1,Uid:9be8,Namespace:kube-system,Attempt:0,} failed, error" error="${why}"`;
    expect(code(failed('failed to generate seccomp spec opts: seccomp is not supported'))).toBe(
      'ContainerNotStarted',
    );
    expect(code(failed('something of one pod'))).toBe('nothing');
  });
});

it.each<[string, string]>([
  [
    'ContainerRuntimeUnsuitable',
    'failed to load TOML from /etc/containerd/config.toml: invalid plugin key URI "cri" expect io.containerd.x.vx',
  ],
  [
    'KernelSettingWrong',
    'kubelet.go:1380] "Failed to start cAdvisor" err="inotify_init: too many open files"',
  ],
  ['KubeletBadFlag', 'Error: failed to parse kubelet flag: unknown flag: --network-plugin'],
  ['KubeletBadFlag', 'node-1 Error: failed to parse kubelet flag: unknown flag: --network-plugin'],
  [
    'ContainerRuntimeUnsuitable',
    '(debian 13, kubernetes 1.34)"command failed" err="failed to run Kubelet: validate service connection: CRI v1 runtime API is not implemented for endpoint \\"unix:///run/containerd/containerd.sock\\": rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService"',
  ],
  [
    'KubeletCrashing',
    '07:42.061303    2703 kubelet.go:1296] Failed to start ContainerManager failed to get rootfs info: failed to get device for dir "/var/lib/kubelet": could not find device with major: 0, minor: 16 in cached partitions map',
  ],
  [
    'ContainerRuntimeUnsuitable',
    'E1010 18:34:39.458633    8681 remote_runtime.go:557] "ListContainers with filter from runtime service failed" err="rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService" filter="&ContainerFilter{}"',
  ],
  [
    'ImagePullFailed',
    'output: E0915 10:09:11.295012   70114 remote_image.go:238] "PullImage from image service failed" err="rpc error: code = Unknown desc = failed to pull and unpack image \\"registry.k8s.io/kube-apiserver:v1.34.1\\": failed to do request: Head \\"https://registry.k8s.io/v2/kube-apiserver/manifests/v1.34.1\\": dial tcp 192.0.2.5:443: connect: connection refused" image="registry.k8s.io/kube-apiserver:v1.34.1"',
  ],
  [
    'ControlPlaneConfigInvalid',
    '2020-03-25 00:06:36.497449 C | etcdmain: listen tcp 192.0.2.7:2380: bind: cannot assign requested address',
  ],
])('one line is enough: %s', (expected, line) => {
  expect(code(line)).toBe(expected);
});

it.each([
  'It then said that "command failed" err="failed to run Kubelet: running with swap on is not supported" is what one gets.',
  'A fix for `failed to parse kubelet flag: unknown flag: --network-plugin` was merged.',
  'unknown service runtime.v1.RuntimeService is what an old containerd answers.',
])('a sentence about it is none: %s', (line) => {
  expect(code(line)).toBe('nothing');
});
