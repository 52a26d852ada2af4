import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createLinuxHost } from '../../host/linux/host.ts';
import { readDocument } from '../fixtures/read-document.ts';
import { type NodeFile, readNodeFiles } from './node-files.ts';

const read = (text: string, onDisk: NodeFile[] = []) =>
  readDocument(Buffer.from(`#cloud-config\n${text}`), { metaData: {}, source: 'nocloud' }, onDisk);
const told = (text: string) =>
  read(text).report.map(
    ({ severity, message, where }) => `${severity} ${where?.line}:${where?.column} ${message}`,
  );

const PEM = '-----BEGIN CERTIFICATE-----\n      MIIB\n      -----END CERTIFICATE-----';

const EVERYTHING = `
slipway:
  kernel:
    modules: [br_netfilter, ip_vs]
    sysctls:
      net.ipv4.ip_forward: 1
      net.ipv4.conf.eth0/100.rp_filter: '0'
      net.ipv4.ip_local_port_range: 1024 65000
      net.ipv6.conf.all.forwarding: yes
  proxy:
    http: http://user:pa%24s@proxy.example:3128
    https: http://proxy.example:3128
    except: .corp.example, 10.0.0.0/8
  containerd:
    cgroupDriver: systemd
    sandboxImage: registry.example/pause:3.10
    registries:
    - host: docker.io
      mirrors:
      - url: https://mirror.example:5000/v2/hub
        overridePath: true
        capabilities: [pull]
    - host: registry.example:5000
      ca: |
      ${PEM}
  kubeadm:
    staticPods:
    - {name: kube-vip.yaml, content: 'kind: Pod'}
    patches:
    - {name: kube-apiserver0+merge.yaml, content: '{}'}
runcmd: [kubeadm join --config /a]
`;

describe('the settings of a node', () => {
  test('are read section by section', () => {
    const { node, report, commands } = read(
      EVERYTHING.replace(PEM, `  ${PEM}`.replaceAll('\n      ', '\n        ')),
    );
    expect(report).toEqual([]);
    expect(node?.kernel).toEqual({
      modules: ['br_netfilter', 'ip_vs'],
      sysctls: {
        'net.ipv4.ip_forward': '1',
        'net.ipv4.conf.eth0/100.rp_filter': '0',
        'net.ipv4.ip_local_port_range': '1024 65000',
        'net.ipv6.conf.all.forwarding': '1',
      },
    });
    expect(node?.proxy?.http?.reveal()).toBe('http://user:pa%24s@proxy.example:3128');
    expect(JSON.stringify(node?.proxy)).not.toContain('pa%24s');
    expect(node?.proxy?.except).toEqual(['.corp.example', '10.0.0.0/8']);
    expect(node?.containerd).toMatchObject({
      cgroupDriver: 'systemd',
      sandboxImage: 'registry.example/pause:3.10',
      registries: [
        {
          host: 'docker.io',
          skipVerify: false,
          mirrors: [
            { url: 'https://mirror.example:5000/v2/hub', overridePath: true, capabilities: ['pull'] },
          ],
        },
        { host: 'registry.example:5000', ca: expect.stringContaining('MIIB'), mirrors: [] },
      ],
    });
    expect(node?.kubeadm?.staticPods[0]?.content.reveal()).toBe('kind: Pod\n');
    expect(commands).toMatchObject([{ patches: '/etc/kubernetes/patches' }]);
  });

  test.each([
    ['{kernal: {}}', '2:11 slipway: kernal is not known (was kernel meant?).'],
    ['{kernel: []}', '2:19 slipway.kernel must be a mapping'],
    ['{kubeadm: non}', '2:20 slipway: kubeadm must be a mapping or none.'],
    ['{kubeadm: [none]}', '2:20 slipway.kubeadm must be a mapping'],
    ['{kernel: {module: [a]}}', '2:20 slipway.kernel: module is not known (was modules meant?).'],
    ['{kernel: {modules: ["a b"]}}', '2:29 slipway.kernel: modules must contain kernel module names'],
    ['{kernel: {sysctls: {../x: 1}}}', '2:30 slipway.kernel: a name in sysctls'],
    [
      '{kernel: {sysctls: {kernel.panic: [1]}}}',
      '2:44 slipway.kernel: kernel.panic must be a single-line string',
    ],
    ['{proxy: {http: "proxy:3128"}}', '2:25 slipway.proxy: http must be a URL'],
    ['{proxy: {https: "http://a$b"}}', '2:26 slipway.proxy: https must be a URL'],
    ['{proxy: {noProxy: a}}', '2:19 slipway.proxy: noProxy is not known.'],
    ['{containerd: {cgroupDriver: x}}', '2:38 slipway.containerd: cgroupDriver must be systemd or cgroupfs.'],
    ['{containerd: {registries: [{host: ../etc}]}}', '2:44 slipway.containerd.registries: host must be'],
    [
      '{containerd: {registries: [{host: a, mirrors: [{}]}]}}',
      '2:57 slipway.containerd.registries.mirrors: a mirror',
    ],
    ['{containerd: {registries: [{host: a}, {host: a}]}}', '2:36 slipway.containerd: a is listed twice.'],
    [
      '{containerd: {registries: [{host: a, ca: x}]}}',
      '2:51 slipway.containerd.registries: ca must contain only PEM certificates',
    ],
    [
      '{kubeadm: {patches: [{name: a.yaml, content: x}]}}',
      '2:38 slipway.kubeadm.patches: name must have the form that kubeadm',
    ],
    [
      '{kubeadm: {staticPods: [{name: etcd.yaml, content: x}]}}',
      '2:41 slipway.kubeadm.staticPods: name must be',
    ],
    ['{kubeadm: {staticPods: [{name: a.yaml}]}}', '2:34 slipway.kubeadm.staticPods: the content is missing.'],
  ])('%s', (text, wanted) => {
    expect(told(`slipway: ${text}\n`)).toEqual([expect.stringContaining(`error ${wanted}`)]);
  });

  test('are never quoted where they may be secret', () => {
    const text = 'slipway: {proxy: {http: "ftp://user:hunter2@proxy"}}\n';
    expect(JSON.stringify(told(text))).not.toContain('hunter2');
  });
});

describe('the files of /etc/slipway', () => {
  const roots: string[] = [];
  afterEach(() => {
    for (const root of roots.splice(0)) rmSync(root, { recursive: true });
  });

  const machine = (files: Record<string, string>) => {
    const root = mkdtempSync(join(tmpdir(), 'slipway-node-'));
    roots.push(root);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    return createLinuxHost({ root });
  };

  test('count in the order image, files of user data, drop-ins, key; section by section', async () => {
    const host = machine({
      '/etc/slipway/node.yaml': 'kernel: {modules: [image]}\nproxy: {http: "http://image:1"}\n',
      '/etc/slipway/node.d/20-disk.yaml': 'kubeadm: {staticPods: [{name: a.yaml, content: a}]}\n',
      '/etc/slipway/node.d/30-replaced.yaml': 'not: known\n',
      '/etc/slipway/node.d/notes.txt': 'not: known\n',
    });
    const document = read(
      [
        'slipway: {containerd: {cgroupDriver: systemd}}',
        'write_files:',
        '- {path: /etc/slipway/node.d/10-proxy.yaml, content: "proxy: {http: \\"http://file:1\\"}"}',
        '- {path: /etc/slipway/node.d/30-replaced.yaml, content: "endpoints: [\\"10.0.0.9:6443\\"]"}',
        'runcmd: [kubeadm join --config /a]',
        '',
      ].join('\n'),
      await readNodeFiles(host),
    );
    expect(document.report).toEqual([]);
    expect(document.node?.kernel?.modules).toEqual(['image']);
    expect(document.node?.proxy?.http?.reveal()).toBe('http://file:1');
    expect(document.node?.kubeadm?.staticPods).toHaveLength(1);
    expect(document.node?.containerd?.cgroupDriver).toBe('systemd');
    expect(document.commands).toMatchObject([{ endpoints: ['10.0.0.9:6443'] }]);
  });

  test('are refused with their own lines and columns', async () => {
    const host = machine({ '/etc/slipway/node.yaml': 'kernel:\n  sysctl: {}\n' });
    const { report } = read('runcmd: [ls]\n', await readNodeFiles(host));
    expect(report).toEqual([
      {
        severity: 'error',
        code: 'UserDataInvalid',
        message:
          '/etc/slipway/node.yaml line 2, column 3: slipway.kernel: sysctl is not known (was sysctls meant?).',
      },
    ]);
  });

  test('are none on a machine that has none', async () => {
    expect(await readNodeFiles(machine({}))).toEqual([]);
  });
});
