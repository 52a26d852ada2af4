import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LabError } from '../process/command.ts';
import { fullRoot } from '../root/debian-root.ts';
import { inRootOk } from '../root/in-root.ts';
import { unpackedPackage } from '../root/unpacked-package.ts';
import { kubernetesBinaries, kubernetesRelease } from './kubernetes.ts';
import { etcdSeries } from './release.ts';

type Say = (line: string) => void;

/** etcd for the lab's release of Kubernetes. */
export interface Etcd {
  /** On this host; etcdctl may be missing. */
  programs: { etcd: string; etcdctl?: string };
  /** The words that run etcd on this host. */
  command: readonly string[];
  /** The Debian root whose C library it takes. */
  root: string;
}

/** The series that Debian has: that of the lab's own root, and one of a newer Debian. */
const IN_THE_ROOT = '3.4';
const NEWER = { series: '3.5', suite: 'forky' };

/**
 * The etcd of the directory that has the Kubernetes programs, else Debian's where that is of the series for which kubeadm
 * writes its manifest: flags differ.
 * @throws LabError where there is none of that series
 */
export async function labEtcd(say?: Say): Promise<Etcd> {
  const [binaries, root] = [await kubernetesBinaries(say), await fullRoot(say)];
  const own = join(binaries, 'etcd');
  if (existsSync(own)) return { ...programsIn(binaries), command: [own], root };
  const release = await kubernetesRelease(say);
  const series = etcdSeries(release);
  // Through the root's own loader: the host may have another C library, or an older one. In lib64 is a link to an absolute
  // path, which would be the host's loader.
  const libraries = `${root}/lib/x86_64-linux-gnu`;
  const loader = [`${libraries}/ld-linux-x86-64.so.2`, '--library-path', libraries];
  const debian = (dir: string): Etcd => ({
    ...programsIn(dir),
    command: [...loader, join(dir, 'etcd')],
    root,
  });
  if (series === IN_THE_ROOT) return debian(join(root, 'usr/bin'));
  if (series === NEWER.series) {
    return debian(join(await unpackedPackage('etcd-server', say, NEWER.suite), 'usr/bin'));
  }
  throw new LabError(
    `Kubernetes ${release.version} needs etcd ${series}, which Debian does not have: ` +
      'put etcd and etcdctl beside kubeadm, into the directory that SLIPWAY_KUBERNETES_DIR names',
  );
}

function programsIn(dir: string): Pick<Etcd, 'programs'> {
  const etcdctl = join(dir, 'etcdctl');
  return { programs: { etcd: join(dir, 'etcd'), ...(existsSync(etcdctl) ? { etcdctl } : {}) } };
}

/** The shared libraries (and the loader) that it needs, at the paths below its root where the loader looks for them. */
export async function librariesOf({ programs, root }: Etcd): Promise<string[]> {
  const names = Object.values(programs).map((path) => `/programs/${basename(path)}`);
  const text = await inRootOk({
    what: 'asking ldd',
    lower: [root],
    binds: [{ from: dirname(programs.etcd), to: '/programs', readOnly: true }],
    // A static program needs none, and ldd calls that an error.
    script: `ldd ${names.join(' ')} || :`,
  });
  const found = [...text.matchAll(/(\/lib\S*) \(0x/g)].map((match) => match[1] ?? '');
  return [...new Set(found)].sort();
}
