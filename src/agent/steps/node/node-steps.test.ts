import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeKubeadm } from '../../../../test/support/kubeadm/fake-kubeadm.ts';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { KubeadmCommand } from '../../document/document.ts';
import type { StepContext, StepResult } from '../../engine/step.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { KubeadmCall } from '../../kubeadm/config/call.ts';
import type { ShapeOptions } from '../../kubeadm/config/shaped-arguments.ts';
import { proxyEnvironment } from '../../kubeadm/run/real-kubeadm.ts';
import { readDocument } from '../../userdata/fixtures/read-document.ts';
import { openShared } from '../kind/shared.ts';
import { loadSteps } from '../kind/step-kind.ts';
import { plan } from '../plan.ts';

let machine: FakeKubeadm;
beforeEach(() => {
  machine = new FakeKubeadm();
});
afterEach(() => machine.root.remove());

/** Runs the steps whose ids match, and gives what each one answered. */
async function apply(userData: string, ids: RegExp): Promise<Record<string, StepResult>> {
  const host = createLinuxHost({ root: machine.root.path });
  const document = readDocument(Buffer.from(`#cloud-config\n${userData}`), { metaData: {}, source: 'test' });
  expect(document.report).toEqual([]);
  const answers: Record<string, StepResult> = {};
  const context: Partial<StepContext> = {
    host,
    signal: new AbortController().signal,
    progress: async () => {},
  };
  for (const step of await loadSteps(
    plan(document),
    openShared(host, document, 'i-1', () => {}),
  )) {
    if (ids.test(step.id)) answers[step.id] = await step.run(context as StepContext);
  }
  return answers;
}

/** Those of the steps that a power loss may hide. */
async function repeatable(userData: string): Promise<string[]> {
  const host = createLinuxHost({ root: machine.root.path });
  const document = readDocument(Buffer.from(`#cloud-config\n${userData}`), { metaData: {}, source: 'test' });
  const shared = openShared(host, document, 'i-1', () => {});
  const steps = await loadSteps(plan(document), shared);
  return steps.filter((step) => step.repeatable).map(({ id }) => id);
}

test.each([
  ['write_files: [{path: /a, content: b}, {path: /a, content: c}]\nhostname: n', ['files', 'hostname']],
  ['write_files: [{path: /a, content: b}, {path: /a, content: c, append: true}]', []],
  ['write_files: [{path: /a, source: {uri: "https://b.example/c"}}]', []],
  ['ssh_deletekeys: true', []],
  ['ssh_genkeytypes: [ed25519]\nruncmd: [echo >>/a]', ['ssh/host-keys']],
])('may be done twice: %s', async (userData, ids) => {
  expect((await repeatable(userData)).filter((id) => id !== 'kernel')).toEqual(ids);
});

const read = async (path: string): Promise<string | undefined> =>
  (await createLinuxHost({ root: machine.root.path }).files.readIfPresent(path))?.toString('utf8');
const modeOf = async (path: string): Promise<number> =>
  ((await createLinuxHost({ root: machine.root.path }).files.stat(path))?.mode ?? 0) & 0o777;

describe('kernel', () => {
  test('is set up for later boots beside what is there, and again without doubles', async () => {
    machine.put('/etc/sysctl.d/90-slipway.conf', 'net.ipv4.ip_forward = 1\n');
    const settings = (value: number) =>
      `slipway: {kernel: {modules: [br_netfilter], sysctls: {vm.max_map_count: ${value}}}}\n`;
    for (const value of [1, 2])
      expect(await apply(settings(value), /^kernel$/)).toMatchObject({ kernel: { done: true } });
    const text = (await read('/etc/sysctl.d/90-slipway.conf')) ?? '';
    expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'net.ipv4.ip_forward = 1',
      'vm.max_map_count = 2',
      '',
    ]);
    expect(await read('/etc/modules-load.d/slipway.conf')).toMatch(/^br_netfilter$/m);
  });
});

describe('proxy', () => {
  const INIT = `apiVersion: kubeadm.k8s.io/v1beta3
kind: ClusterConfiguration
controlPlaneEndpoint: api.example:6443
networking: {serviceSubnet: '10.128.0.0/12,fd00::/108', podSubnet: 10.1.0.0/16, dnsDomain: lab.local}
---
apiVersion: kubeadm.k8s.io/v1beta3
kind: InitConfiguration
localAPIEndpoint: {advertiseAddress: 192.0.2.7}
`;
  const USER =
    'slipway: {proxy: {http: "http://u:hunter2@proxy:3128", except: [.corp]}}\nruncmd: [kubeadm init --config /k.yaml]\n';

  test('reaches kubeadm and the services, the cluster itself excepted', async () => {
    machine.put('/k.yaml', INIT);
    const answer = await apply(USER, /^proxy$/);
    expect(answer).toMatchObject({ proxy: { done: true } });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
    const env = await proxyEnvironment(createLinuxHost({ root: machine.root.path }));
    expect(env.HTTP_PROXY).toBe('http://u:hunter2@proxy:3128');
    expect(env).not.toHaveProperty('HTTPS_PROXY');
    expect(env.no_proxy).toBe(env.NO_PROXY);
    expect(env.NO_PROXY?.split(',')).toEqual([
      ...[
        'localhost',
        '127.0.0.1',
        '::1',
        '.svc',
        '.lab.local',
        '10.128.0.0/12',
        'fd00::/108',
        '10.1.0.0/16',
      ],
      ...['api.example', '192.0.2.7', '.corp'],
    ]);
    expect(await modeOf('/etc/slipway/proxy.env')).toBe(0o600);
    for (const unit of ['containerd', 'kubelet', 'slipway-report']) {
      const text = await read(`/etc/systemd/system/${unit}.service.d/50-slipway-proxy.conf`);
      expect(text).toContain('EnvironmentFile=-/etc/slipway/proxy.env');
      expect(text).not.toContain('hunter2');
    }
  });

  test('is left alone when it is as wanted', async () => {
    await apply(USER, /^proxy$/);
    expect(await apply(USER, /^proxy$/)).toMatchObject({ proxy: { message: 'as wanted already' } });
  });

  test('a join excepts the endpoints that it may ask', async () => {
    machine.put(
      '/k.yaml',
      'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\ndiscovery: {bootstrapToken: {apiServerEndpoint: "[fd00::5]:6443"}}\n',
    );
    await apply(
      'slipway: {endpoints: ["10.0.0.9:6443"], proxy: {https: "http://p:1"}}\nruncmd: [kubeadm join --config /k.yaml]\n',
      /^proxy$/,
    );
    const { NO_PROXY = '' } = await proxyEnvironment(createLinuxHost({ root: machine.root.path }));
    expect(NO_PROXY.split(',')).toEqual(expect.arrayContaining(['fd00::5', '10.0.0.9', '10.96.0.0/12']));
  });
});

describe('static pods and patches', () => {
  const settings = (verb: string) =>
    `slipway: {kubeadm: {staticPods: [{name: kube-vip.yaml, content: pod}], patches: [{name: etcd.yaml, content: '{}'}]}}\nruncmd: [kubeadm ${verb} --config /k.yaml]\n`;
  const POD = '/etc/kubernetes/manifests/kube-vip.yaml';

  test.each([
    ['init', '', true],
    ['join', 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\ncontrolPlane: {}\n', true],
    ['join', 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\n', false],
    ['join', ': not yaml [', false],
  ])('%s with %j: pods before kubeadm: %s', async (verb, config, before) => {
    machine.put('/k.yaml', config);
    await apply(settings(verb), /^static-pods.before$/);
    expect(await read(POD)).toBe(before ? 'pod\n' : undefined);
    await apply(settings(verb), /^static-pods.after$/);
    expect(await read(POD)).toBe('pod\n');
    expect(await modeOf(POD)).toBe(0o600);
  });

  test('patches go where the configuration says, else to a directory of ours', async () => {
    machine.put('/k.yaml', 'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\n');
    await apply(settings('join'), /patches/);
    expect(await read('/etc/kubernetes/patches/etcd.yaml')).toBe('{}\n');
    machine.put(
      '/k.yaml',
      'apiVersion: kubeadm.k8s.io/v1beta3\nkind: JoinConfiguration\npatches: {directory: /mine}\n',
    );
    await apply(settings('join'), /patches/);
    expect(await read('/mine/etcd.yaml')).toBe('{}\n');
  });

  test('are steps around kubeadm, in this order', () => {
    const ids = plan(
      readDocument(Buffer.from(`#cloud-config\n${settings('join')}`), { metaData: {}, source: 'test' }),
    ).map(({ id }) => id);
    expect(ids).toEqual([
      ...['kubeadm-patches', 'static-pods/before', 'preflight', 'kubeadm', 'sentinel'],
      ...['static-pods/after', 'ready'],
    ]);
  });
});

describe('containerd', () => {
  const SETTINGS =
    'slipway: {containerd: {cgroupDriver: systemd, registries: [{host: docker.io, mirrors: [{url: "http://m:5000"}]}]}}\n';
  const CONTAINERD = `#!/bin/sh
case "$*" in
*--version*) echo 'containerd github.com/containerd/containerd v1.7.22 abc' ;;
*dump*) [ ! -e /refuses ] || { echo 'containerd: bad plugin' >&2; exit 1; } ;;
esac
`;

  test('is asked for its opinion before its configuration is replaced, and the old one is kept', async () => {
    machine.put('/bin/containerd', CONTAINERD, 0o755);
    machine.put('/etc/containerd/config.toml', 'version = 2\n# mine\n', 0o600);
    expect(await apply(SETTINGS, /^containerd$/)).toMatchObject({
      containerd: { done: true, message: 'configuration changed, 1 file of registries written' },
    });
    expect(await read('/etc/containerd/config.toml')).toMatch(/SystemdCgroup = true/);
    expect(await modeOf('/etc/containerd/config.toml')).toBe(0o600);
    expect(await read('/etc/containerd/config.toml.before-slipway')).toBe('version = 2\n# mine\n');
    expect(await read('/etc/containerd/certs.d/docker.io/hosts.toml')).toMatch(/http:\/\/m:5000/);
    expect(await apply(SETTINGS, /^containerd$/)).toMatchObject({
      containerd: { message: 'as wanted already' },
    });
  });

  test('that does not take it keeps the configuration that it had', async () => {
    machine.put('/bin/containerd', CONTAINERD, 0o755);
    machine.put('/refuses', '');
    machine.put('/etc/containerd/config.toml', 'version = 2\n');
    expect(await apply(SETTINGS, /^containerd$/)).toMatchObject({
      containerd: {
        done: false,
        failure: { code: 'ContainerdConfigInvalid', cause: expect.stringContaining('bad plugin') },
      },
    });
    expect(await read('/etc/containerd/config.toml')).toBe('version = 2\n');
    expect(await read('/run/slipway/containerd.toml')).toBeUndefined();
  });

  test('that is not there is told', async () => {
    expect(await apply(SETTINGS, /^containerd$/)).toMatchObject({
      containerd: { failure: { code: 'ToolMissing' } },
    });
  });
});

// A command as the shim makes it, so that the two ways to the same steps cannot drift apart.
test('a call without a configuration gets a flag for its patches', async () => {
  const { shapedArguments } = await import('../../kubeadm/config/shaped-arguments.ts');
  const host = createLinuxHost({ root: machine.root.path });
  const command: KubeadmCommand = {
    kind: 'kubeadm',
    verb: 'join',
    args: sensitive(['10.0.0.1:6443']),
    patches: '/p',
  };
  const options = { discoveryTimeoutSeconds: 60 };
  const shape = async (call: KubeadmCommand, more: ShapeOptions) =>
    shapedArguments(host, await new KubeadmCall(host, call).read(), more);
  expect((await shape(command, { ...options, minor: 20 })).args).toEqual([
    '10.0.0.1:6443',
    '--experimental-patches=/p',
  ]);
  expect((await shape(command, { ...options, minor: 31 })).args).toContain('--patches=/p');
  // A configuration that kubeadm can read as it is, in a version without a place for patches.
  machine.put('/k.yaml', 'apiVersion: kubeadm.k8s.io/v1beta2\nkind: ClusterConfiguration\n');
  const init: KubeadmCommand = {
    ...command,
    verb: 'init',
    args: sensitive(['--config', '/k.yaml']),
    configPath: '/k.yaml',
  };
  expect((await shape(init, { ...options, minor: 20 })).args).toEqual([
    '--config',
    '/k.yaml',
    '--experimental-patches=/p',
  ]);
});

test('files are written until the deadline, and the rest is left to another attempt', async () => {
  const host = createLinuxHost({ root: machine.root.path });
  const list = Array.from({ length: 600 }, (_, at) => `{path: /many/${at}, content: x}`).join(', ');
  const document = readDocument(Buffer.from(`#cloud-config\nwrite_files: [${list}]\n`), {
    metaData: {},
    source: 'test',
  });
  const [step] = await loadSteps(
    plan(document).filter(({ id }) => id === 'files'),
    openShared(host, document, 'i-1', () => {}),
  );
  const context: Partial<StepContext> = { host, signal: new AbortController().signal, remainingMs: () => 0 };
  expect(await step?.run(context as StepContext)).toMatchObject({
    done: false,
    retry: 'yes',
    failure: { code: 'DeadlineExceeded' },
  });
  expect((await host.files.list('/many')).length).toBe(256);
});
