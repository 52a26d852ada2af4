import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { kubernetesBinaries, kubernetesRelease } from '../kubernetes/kubernetes.ts';
import { RUNTIME_PROGRAMS } from '../kubernetes/kubernetes-version.ts';
import type { Release } from '../kubernetes/release.ts';

type Say = (line: string) => void;

/** Programs that a node image has in /usr/bin; the others only run in containers or in the lab's own control plane. */
const ON_THE_NODE = ['kubeadm', 'kubelet', 'kubectl', 'crictl', ...RUNTIME_PROGRAMS] as const;

/**
 * Units that make no sense in a machine without a kernel of its own, or would change the host's.
 * etcd is installed for the control plane's image only.
 */
const MASKED = [
  'systemd-udevd.service systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket',
  'systemd-udev-settle.service systemd-networkd.service systemd-networkd.socket systemd-modules-load.service',
  'systemd-timesyncd.service sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount',
  'sys-fs-fuse-connections.mount dev-hugepages.mount console-getty.service getty@.service getty.target etcd.service',
  'apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer',
].flatMap((line) => line.split(' '));

const ENABLED = ['kubelet.service'];

/** What makes the Debian root a Kubernetes node image: binaries, units, configuration. */
export async function nodeLayer(say?: Say): Promise<string> {
  const binaries = await kubernetesBinaries(say);
  const containerd = containerdConfig(await kubernetesRelease(say));
  const programs = ON_THE_NODE.filter((name) => existsSync(join(binaries, name)));
  const files = join(import.meta.dirname, 'node');
  return cached(
    {
      name: 'node',
      recipe: {
        binaries,
        programs,
        containerd,
        masked: MASKED,
        enabled: ENABLED,
        files: await digestTree(files),
        version: 1,
      },
      make: async (dir) => {
        await cp(files, dir, { recursive: true });
        for (const sub of [
          'usr/bin',
          'opt/cni',
          'etc/cni/net.d',
          'var/log/journal',
          'etc/kubernetes/manifests',
        ]) {
          await mkdir(join(dir, sub), { recursive: true, mode: 0o755 });
        }
        // The overlay copies a file before it changes it, so a machine cannot reach back through these links.
        for (const name of programs) await link(join(binaries, name), join(dir, 'usr/bin', name));
        await symlink('/usr/lib/cni', join(dir, 'opt/cni/bin'));
        for (const unit of MASKED) await symlink('/dev/null', join(dir, 'etc/systemd/system', unit));
        for (const unit of ENABLED) {
          const wants = join(dir, 'etc/systemd/system/multi-user.target.wants');
          await mkdir(wants, { recursive: true, mode: 0o755 });
          await symlink(`/etc/systemd/system/${unit}`, join(wants, unit));
        }
        await mkdir(join(dir, 'etc/containerd'), { recursive: true, mode: 0o755 });
        await writeFile(join(dir, 'etc/containerd/config.toml'), containerd);
        await writeFile(
          join(dir, 'etc/crictl.yaml'),
          'runtime-endpoint: unix:///run/containerd/containerd.sock\n',
        );
      },
    },
    say,
  );
}

/** In the words of version 2, which containerd 1.6 to 2.x read; the image and the driver are those of the release. */
function containerdConfig({ images, cgroupDriver }: Release): string {
  return `version = 2
[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "${images.pause}"
    # Without CAP_SYS_RESOURCE runc cannot lower a score, and every sandbox would fail.
    restrict_oom_score_adj = true
    [plugins."io.containerd.grpc.v1.cri".cni]
      bin_dir = "/usr/lib/cni"
      conf_dir = "/etc/cni/net.d"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = ${cgroupDriver === 'systemd'}
`;
}

/** The configuration that a machine with cloud-init has on top. */
export async function cloudInitLayer(say?: Say): Promise<string> {
  const files = join(import.meta.dirname, 'node-cloud-init');
  return cached(
    {
      name: 'node-cloud-init',
      recipe: { files: await digestTree(files) },
      make: (dir) => cp(files, dir, { recursive: true }),
    },
    say,
  );
}

async function digestTree(dir: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).sort()) {
    hash
      .update(path.slice(dirname(dir).length))
      .update('\0')
      .update(await readFile(path))
      .update('\0');
  }
  return hash.digest('hex');
}
