import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { LabError } from '../process/command.ts';
import { downloadChecked, get, unpack } from './download-checked.ts';
import { KUBERNETES_PROGRAMS } from './kubernetes-version.ts';
import { minorOf, type Release } from './release.ts';

type Say = (line: string) => void;

/** Where releases are published: Kubernetes itself, and by their projects crictl, etcd and containerd. */
export interface ReleaseHosts {
  kubernetes: string;
  github: string;
}

const UPSTREAM: ReleaseHosts = { kubernetes: 'https://dl.k8s.io', github: 'https://github.com' };

/** The newest minor version of Kubernetes that the lab is known to work with. */
const NEWEST_MINOR = 36;

/** kubelets of 1.36 and later are made for it; Debian's runc starts its containers. */
const CONTAINERD = '2.1.9';

/** Nobody should wait long to learn that there is no internet. */
const CONNECT_MS = 4_000;

/**
 * Upstream's stable release, or the last one of the newest minor version that the lab knows.
 * @throws LabError where upstream cannot be reached
 */
export async function newestRelease(hosts: ReleaseHosts = UPSTREAM): Promise<string> {
  const ask = async (name: string): Promise<string> => {
    const answer = await get(`${hosts.kubernetes}/release/${name}.txt`, CONNECT_MS);
    const version = (await answer.text()).trim();
    if (!/^v1\.\d+\.\d+$/.test(version)) throw new LabError(`${answer.url} names no release`);
    return version;
  };
  const stable = await ask('stable');
  return minorOf(stable) > NEWEST_MINOR ? ask(`stable-1.${NEWEST_MINOR}`) : stable;
}

/**
 * Upstream's programs of a release into `dir`, each checked against the SHA-256 published beside it.
 * @throws LabError naming the file that could not be had or is not what was published
 */
export async function downloadKubernetes(
  dir: string,
  version: string,
  say: Say,
  hosts: ReleaseHosts = UPSTREAM,
): Promise<void> {
  for (const name of KUBERNETES_PROGRAMS) {
    say(`downloading ${name} ${version}`);
    await downloadChecked(`${hosts.kubernetes}/release/${version}/bin/linux/amd64/${name}`, join(dir, name));
    await chmod(join(dir, name), 0o755);
  }
}

/** What belongs to a release and is published by others: crictl, etcd, and containerd where Debian's is too old. */
export async function downloadCompanions(
  dir: string,
  { minor, images }: Pick<Release, 'minor' | 'images'>,
  say: Say,
  hosts: ReleaseHosts = UPSTREAM,
): Promise<void> {
  const project = (name: string, version: string) => `${hosts.github}/${name}/releases/download/${version}`;
  const tools = `v1.${minor}.0`;
  const etcd = `v${/:v?(\d+\.\d+\.\d+)/.exec(images.etcd)?.[1]}`;
  const containerd = `containerd-static-${CONTAINERD}-linux-amd64.tar.gz`;
  await unpack(dir, say, {
    url: `${project('kubernetes-sigs/cri-tools', tools)}/crictl-${tools}-linux-amd64.tar.gz`,
    members: ['crictl'],
  });
  await unpack(dir, say, {
    url: `${project('etcd-io/etcd', etcd)}/etcd-${etcd}-linux-amd64.tar.gz`,
    sums: `${project('etcd-io/etcd', etcd)}/SHA256SUMS`,
    members: [`etcd-${etcd}-linux-amd64/etcd`, `etcd-${etcd}-linux-amd64/etcdctl`],
  });
  if (minor < 36) return;
  await unpack(dir, say, {
    url: `${project('containerd/containerd', `v${CONTAINERD}`)}/${containerd}`,
    sums: `${project('containerd/containerd', `v${CONTAINERD}`)}/${containerd}.sha256sum`,
    members: ['bin/containerd', 'bin/containerd-shim-runc-v2', 'bin/ctr'],
  });
}
