import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { privateApt } from '../root/apt.ts';
import { fullRoot, scriptedLayer } from '../root/debian-root.ts';
import { inRootOk, withScratchDir } from '../root/in-root.ts';
import { KUBERNETES_BINARIES, type KubernetesBinary } from './kubernetes-version.ts';

type Say = (line: string) => void;

/** What these files say decides what is built. */
const SOURCES = join(import.meta.dirname, 'kubernetes-source');

/** A layer over the Debian root with Go and a C compiler: nothing is installed on the host. */
function buildTools(root: string, say?: Say): Promise<string> {
  const script = `
apt-get -q update
apt-get -qy install --no-install-recommends golang-go gcc libc6-dev dpkg-dev xz-utils
apt-get clean
rm -rf /var/lib/apt/lists/*`;
  return scriptedLayer({ name: 'build-tools', lower: [root], script, network: true }, say);
}

/** Debian's source package of Kubernetes and the one library that must replace a vendored one; apt checks the signatures. */
async function kubernetesSource(say?: Say): Promise<string> {
  return cached(
    {
      name: 'kubernetes-source',
      recipe: { packages: ['kubernetes', 'golang-github-modern-go-reflect2-dev'], version: 1 },
      make: (made) =>
        withScratchDir(async (scratch) => {
          for (const sub of ['source', 'binary']) await mkdir(join(scratch, sub));
          const source = await privateApt(join(scratch, 'source'), 'deb-src');
          await source(['source', '--download-only', 'kubernetes'], made);
          const binary = await privateApt(join(scratch, 'binary'), 'deb');
          await binary(['download', 'golang-github-modern-go-reflect2-dev'], made);
        }),
    },
    say,
  );
}

/**
 * Build Kubernetes binaries into `out` from Debian's source package; about 15 minutes for all on two cores.
 * Some only: a matter of minutes (`pause` seconds, once the tools are there; `crictl` and `kubeadm` two or three minutes).
 */
export async function buildKubernetes(
  out: string,
  say: Say,
  only: readonly KubernetesBinary[] = KUBERNETES_BINARIES,
): Promise<void> {
  const root = await fullRoot(say);
  const tools = await buildTools(root, say);
  // The pause program is one file of C that is here.
  const source = only.some((name) => name !== 'pause') ? await kubernetesSource(say) : undefined;
  await withScratchDir(async (scratch) => {
    for (const sub of ['in', 'build']) await mkdir(join(scratch, sub));
    if (source !== undefined) await cp(source, join(scratch, 'in'), { recursive: true });
    await cp(SOURCES, join(scratch, 'in/lab'), { recursive: true });
    await inRootOk({
      what: `building ${only.join(', ')} from source`,
      lower: [tools, root],
      binds: [
        { from: join(scratch, 'in'), to: '/in', readOnly: true },
        { from: join(scratch, 'build'), to: '/build' },
        { from: out, to: '/out' },
      ],
      script: `sh /in/lab/build.sh ${only.join(' ')}`,
      onOutput: (text) => {
        for (const line of text.split('\n')) if (line.startsWith('building ')) say(line);
      },
    });
  });
}
