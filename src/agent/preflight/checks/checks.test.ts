import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import type { Host } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { type KubeadmConfig, readConfig } from '../../kubeadm/config/config.ts';
import type { Check, Task } from './check.ts';
import { leftovers } from './kubernetes/leftovers.ts';
import { nodeName } from './kubernetes/node-name.ts';
import { ports } from './kubernetes/ports.ts';
import { clock } from './system/clock.ts';
import { diskSpace } from './system/disk-space.ts';
import { cgroups, kernel, modules } from './system/kernel.ts';
import { kernelSettings } from './system/kernel-settings.ts';
import { nameServers } from './system/name-servers.ts';
import { privileges } from './system/privileges.ts';
import { resources, swap } from './system/resources.ts';

const join4 = readConfig({ verb: 'join', args: ['192.0.2.1:6443', '--token', 'abcdef.0123456789abcdef'] });
const init = readConfig({ verb: 'init', args: [] });
const controlPlane: KubeadmConfig = { ...join4, controlPlane: true };

describe('checks on files of a machine', () => {
  let root: string;
  let host: Host;
  beforeEach(() => {
    root = scratch();
    host = createLinuxHost({ root });
  });

  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const told = async (check: Check, task: Partial<Task> = {}) =>
    (await check.run(host, { attempted: false, mend: false, ...task })).map(
      ({ severity, code, message }) => `${severity} ${code} ${message}`,
    );

  it('has nothing to say where nothing can be read', async () => {
    for (const check of [
      privileges,
      kernel,
      cgroups,
      swap,
      kernelSettings,
      resources,
      diskSpace,
      ports,
      leftovers,
    ])
      expect(await told(check, { config: init, kubeadmMinor: 31 }), check.name).toEqual([]);
  });

  it('privileges', async () => {
    put('/proc/self/status', 'Name:\tx\nUid:\t1000\t1000\t1000\t1000\n');
    expect(await told(privileges)).toEqual([expect.stringMatching(/^fatal NotRoot .*user 1000/)]);
    put('/proc/self/status', 'Uid:\t0\t0\t0\t0\n');
    expect(await told(privileges)).toEqual([]);
  });

  it.each([
    ['3.2.0-4-amd64', /^fatal KernelTooOld/],
    ['3.10.0-1160.el7.x86_64', /^warning KernelTooOld/],
    ['4.18.0', /^warning/],
    ['4.19.0', undefined],
    ['6.1.0-18-cloud-amd64', undefined],
    ['nonsense', undefined],
  ])('kernel %s', async (release, wanted) => {
    put('/proc/sys/kernel/osrelease', `${release}\n`);
    expect(await told(kernel)).toEqual(wanted === undefined ? [] : [expect.stringMatching(wanted)]);
  });

  it('control groups of both versions', async () => {
    put(
      '/proc/cgroups',
      '#subsys_name\thierarchy\tnum\tenabled\ncpuset\t1\t2\t1\ncpu\t2\t2\t1\nmemory\t0\t2\t0\n',
    );
    expect(await told(cgroups)).toEqual([
      expect.stringMatching(/^fatal CgroupsUnsuitable .*controllers memory/),
    ]);
    expect(await told(cgroups, { kubeadmMinor: 35 })).toHaveLength(2);
    const told35 = (allowsCgroupV1: boolean) =>
      told(cgroups, { kubeadmMinor: 35, config: { ...join4, allowsCgroupV1 } });
    expect(await told35(false)).toHaveLength(2);
    expect(await told35(true), 'the kubelet is told to start').toHaveLength(1);
    put('/sys/fs/cgroup/cgroup.controllers', 'cpuset cpu io memory pids\n');
    expect(await told(cgroups, { kubeadmMinor: 35 })).toEqual([]);
  });

  it('swap, which was an error before 1.23', async () => {
    put('/proc/swaps', 'Filename\tType\tSize\n');
    expect(await told(swap, { kubeadmMinor: 20 })).toEqual([]);
    put('/proc/swaps', 'Filename\tType\tSize\n/dev/vda2 partition 1024 0 -2\n');
    expect(await told(swap, { kubeadmMinor: 22 })).toEqual(['fatal SwapEnabled swap is on: /dev/vda2']);
    expect(await told(swap, { kubeadmMinor: 23 })).toEqual(['warning SwapEnabled swap is on: /dev/vda2']);
    expect(await told(swap)).toEqual([expect.stringMatching(/^warning/)]);
  });

  it('kernel settings, as sure as kubeadm checks them', async () => {
    put('/proc/sys/net/ipv4/ip_forward', '0\n');
    put('/proc/sys/net/ipv6/conf/default/forwarding', '0\n');
    expect(await told(kernelSettings, { config: join4, kubeadmMinor: 29 })).toEqual([
      'fatal KernelSettingWrong net.ipv4.ip_forward is not 1',
      'fatal KernelSettingWrong the kernel module br_netfilter is not loaded',
    ]);
    const byName = { ...join4, endpoints: ['api.example.org:6443'] };
    expect(await told(kernelSettings, { config: byName, kubeadmMinor: 31 })).toEqual([
      'warning KernelSettingWrong net.ipv4.ip_forward is not 1',
    ]);
    expect(
      await told(kernelSettings, {
        config: { ...join4, endpoints: ['[2001:db8::1]:6443'] },
        kubeadmMinor: 31,
      }),
    ).toEqual([
      'warning KernelSettingWrong net.ipv4.ip_forward is not 1',
      'fatal KernelSettingWrong net.ipv6.conf.default.forwarding is not 1',
    ]);
    put('/proc/sys/net/ipv4/ip_forward', '1\n');
    put('/proc/sys/net/bridge/bridge-nf-call-iptables', '1\n');
    expect(await told(kernelSettings, { config: init, kubeadmMinor: 20 })).toEqual([]);
  });

  it('the overlay file system', async () => {
    put('/proc/filesystems', 'nodev\tproc\n\text4\n');
    put('/proc/sys/kernel/osrelease', '6.1.0\n');
    expect(await told(modules)).toEqual([]);
    put('/lib/modules/6.1.0/modules.dep', 'kernel/fs/fuse/fuse.ko:\n');
    expect(await told(modules)).toEqual([expect.stringMatching(/^warning KernelSettingWrong .*overlay/)]);
    put('/lib/modules/6.1.0/modules.builtin', 'kernel/fs/overlayfs/overlay.ko\n');
    expect(await told(modules)).toEqual([]);
    put('/lib/modules/6.1.0/modules.builtin', '');
    put('/proc/filesystems', 'nodev\toverlay\n');
    expect(await told(modules)).toEqual([]);
  });

  it('processors and memory, for control planes only', async () => {
    put('/proc/self/status', 'Cpus_allowed_list:\t0\n');
    put('/proc/meminfo', 'MemTotal:        1024000 kB\n');
    expect(await told(resources, { config: join4 })).toEqual([]);
    expect(await told(resources, { config: controlPlane })).toEqual([
      'fatal MachineTooSmall a control plane needs 2 processors, and this machine has 1',
      'fatal MachineTooSmall a control plane needs 1700 MB of memory, and this machine has 1000 MB',
    ]);
    put('/proc/self/status', 'Cpus_allowed_list:\t0-1,4\n');
    put('/proc/meminfo', 'MemTotal:        2048000 kB\n');
    expect(await told(resources, { config: init })).toEqual([]);
  });

  const GIB = 1024 ** 3;
  const withFree = (sizes: Record<string, { free: number; of: number }>) => {
    const space = async (path: string) => {
      const { free, of } = sizes[path] ?? { free: 50, of: 100 };
      return { totalBytes: of * GIB, freeBytes: free * GIB };
    };
    host = { ...host, files: { ...host.files, space } };
    put('/proc/self/mounts', ['/', ...Object.keys(sizes)].map((at) => `a ${at} ext4 rw 0 0\n`).join(''));
  };

  it.each([
    [15, undefined],
    [
      14.9,
      '/, which contains /var/lib/containerd, has 14 % (15257 MB) free; below 15 % the kubelet removes images',
    ],
    [9.9, '/, which contains /var/lib/kubelet, has 9 % (10137 MB) free; below 10 % the kubelet evicts pods'],
  ])('a disk for all with %d %% free', async (free, wanted) => {
    withFree({ '/': { free, of: 100 } });
    expect(await told(diskSpace)).toEqual(wanted === undefined ? [] : [`warning DiskSpaceLow ${wanted}`]);
  });

  it('a disk of its own for images, and one for etcd, each by its own measure', async () => {
    withFree({ '/var/lib/containerd': { free: 12, of: 100 }, '/var/lib/etcd': { free: 12, of: 100 } });
    expect(await told(diskSpace, { config: init })).toEqual([
      'warning DiskSpaceLow /var/lib/containerd, which contains /var/lib/containerd, has 12 % (12288 MB) free; below 15 % the kubelet removes images',
    ]);
    withFree({ '/var/lib/containerd': { free: 0.5, of: 1 }, '/var/lib/etcd': { free: 9, of: 100 } });
    expect(await told(diskSpace, { config: init })).toEqual([
      'warning DiskSpaceLow /var/lib/containerd, which contains /var/lib/containerd, has 50 % (512 MB) free',
      'warning DiskSpaceLow /var/lib/etcd, which contains /var/lib/etcd, has 9 % (9216 MB) free',
    ]);
  });

  it('a disk, by the measure that the kubelet is given', async () => {
    withFree({ '/': { free: 8, of: 100 } });
    const by = (leastFree: { own: number; images: number }) =>
      told(diskSpace, { config: { ...join4, leastFree } });
    expect(await by({ own: 0.01, images: 0.01 })).toEqual([]);
    expect(await by({ own: 0.05, images: 0.3 })).toEqual([
      expect.stringMatching(/containerd, has 8 % .* free; below 30 % the kubelet removes images$/),
    ]);
  });

  it('a read-only file system, wherever it is mounted', async () => {
    withFree({});
    put('/proc/self/mounts', 'overlay / overlay rw 0 0\n/dev/vdb /var/lib ext4 ro,relatime 0 0\n');
    expect(await told(diskSpace)).toEqual([
      'fatal FileSystemReadOnly /var/lib/kubelet cannot be written: /var/lib is read-only',
    ]);
    put('/proc/self/mounts', 'a / ext4 ro 0 0\nb / ext4 rw 0 0\nc /var\\040x ext4 ro 0 0\n');
    expect((await told(diskSpace)).filter((line) => line.startsWith('fatal'))).toEqual([]);
  });

  it('leftovers, by what kubeadm will be asked to do', async () => {
    put('/etc/kubernetes/kubelet.conf', '');
    put('/etc/kubernetes/pki/ca.crt', '');
    put('/etc/kubernetes/manifests/etcd.yaml', '');
    put('/var/lib/etcd/member/wal', '');
    const paths = async (task: Partial<Task>) =>
      (await told(leftovers, task)).map((line) => /^\w+ \w+ (\S+)/.exec(line)?.[1]);
    expect(await paths({ config: join4 })).toEqual([
      '/etc/kubernetes/kubelet.conf',
      '/etc/kubernetes/pki/ca.crt',
    ]);
    expect(await paths({ config: { ...join4, caCertPath: '/srv/ca.crt' } })).toHaveLength(1);
    expect(await paths({ config: init })).toEqual(['/etc/kubernetes/manifests/etcd.yaml', '/var/lib/etcd']);
    expect(await paths({ config: controlPlane })).toHaveLength(3);
    expect(await paths({})).toHaveLength(3);
    expect(await paths({ config: join4, attempted: true })).toEqual([]);
  });

  it('the clock, against a certificate authority that is there', async () => {
    expect(await told(clock)).toEqual([]);
    put('/etc/kubernetes/pki/ca.crt', 'no certificate');
    expect(await told(clock)).toEqual([]);
    const authority = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-subj',
      '/CN=ca',
    ];
    const ca = execFileSync('openssl', [...authority, '-days', '2', '-keyout', '/dev/null'], {
      stdio: 'pipe',
    }).toString();
    put('/srv/ca.crt', ca);
    const at = async (days: number, synchronised = 'no') => {
      const now = () => new Date(Date.now() + days * 86_400_000);
      const run = async () => ({
        exitStatus: 0,
        stdout: `NTPSynchronized=${synchronised}\n`,
        stderr: '',
        timedOut: false,
        ms: 1,
      });
      const shifted: Host = {
        ...host,
        clock: { ...host.clock, now },
        processes: { ...host.processes, run },
      };
      const config = { ...init, certificatesDir: '/srv' };
      return (await clock.run(shifted, { attempted: false, mend: false, config })).map(
        ({ message }) => message,
      );
    };
    expect(await at(1)).toEqual([]);
    expect(await at(-1)).toEqual([
      expect.stringMatching(/^\/srv\/ca.crt is valid from .*Z on, and it is .*Z by the clock/),
    ]);
    expect(await at(3)).toEqual([expect.stringMatching(/was valid until.* by the clock of this machine$/)]);
    expect(await at(3, 'yes')).toEqual([expect.stringMatching(/was valid until.*, which is synchronised$/)]);
    // Another one behind it, of the same key, may be valid.
    put('/srv/ca.crt', ca + ca);
    expect(await at(3, 'yes')).toEqual([expect.stringMatching(/by the clock of this machine$/)]);
  });

  it('name servers', async () => {
    expect(await told(nameServers)).toEqual([
      expect.stringMatching(/^warning DnsNotConfigured .*does not exist/),
    ]);
    put('/etc/resolv.conf', '# nameserver\nsearch x\n');
    expect(await told(nameServers)).toEqual([expect.stringMatching(/has no name server/)]);
    put('/etc/resolv.conf', 'search x\nnameserver 192.0.2.53\n');
    expect(await told(nameServers)).toEqual([]);
  });
});

describe('checks on this machine', () => {
  const host = createLinuxHost();
  const task: Task = { attempted: false, mend: false, config: init };

  it('names the process that holds a port', async () => {
    const server = await listen();
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const findings = await ports.run(host, { ...task, config: { ...init, bindPort: port } });
    server.close();
    const [found] = findings.filter(({ message }) => message.includes(`port ${port} `));
    expect(found).toMatchObject({ severity: 'fatal', code: 'PortInUse', kubeadmCheck: `Port-${port}` });
    expect(found?.message).toMatch(new RegExp(`in use by .+ \\(pid ${process.pid}\\)$`));
  });

  it.each([
    [36, '127.0.0.1', 'fatal'],
    [37, '127.0.0.1', 'warning'],
    [37, '0.0.0.0', 'fatal'],
  ])('kubeadm 1.%i minds a port that is taken on %s: %s', async (kubeadmMinor, address, severity) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    const { port } = server.address() as AddressInfo;
    const findings = await ports.run(host, { ...task, kubeadmMinor, config: { ...init, bindPort: port } });
    server.close();
    expect(findings.find(({ message }) => message.includes(`port ${port} `))?.severity).toBe(severity);
  });

  it('judges the name of the node', async () => {
    const named = async (nodeNameGiven: string) =>
      (await nodeName.run(host, { ...task, config: { ...init, nodeName: nodeNameGiven } })).map(
        ({ code }) => code,
      );
    expect(await named('a_b')).toEqual(['NodeNameInvalid']);
    const overridden = async (hostnameOverride: string) =>
      (await nodeName.run(host, { ...task, config: { ...init, nodeName: 'cp-1', hostnameOverride } })).filter(
        ({ severity }) => severity === 'fatal',
      );
    expect(await overridden('node-b7')).toMatchObject([
      { code: 'NodeNameWrong', message: expect.stringMatching(/register as node-b7.*a Node cp-1/) },
    ]);
    expect(await overridden('CP-1')).toEqual([]);
    expect(await overridden('$' + '{HOST}')).toEqual([]);
    expect(await named('localhost')).toEqual(['NodeNameInvalid']);
    expect(await named('no-such-machine.invalid')).toEqual(['HostNameUnresolved']);
    expect(
      (await nodeName.run(host, task)).every(({ severity }) => severity === 'warning'),
      hostname(),
    ).toBe(true);
  });
});

function listen(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}
