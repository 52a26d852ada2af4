import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { type Etcd, labEtcd, librariesOf } from '../kubernetes/etcd.ts';
import { kubernetesBinaries, kubernetesRelease } from '../kubernetes/kubernetes.ts';
import type { Release } from '../kubernetes/release.ts';
import { type ImageSpec, imageTar } from './image-tar.ts';

type Say = (line: string) => void;
export type Role = 'control-plane' | 'worker';

/**
 * kubeadm's preflight pulls these two with all others, and the lab has neither program: an image that holds only
 * the pause program stands in, so that unmodified Cluster API user data passes. Such a pod never gets ready; nothing
 * in the lab waits for one.
 */
const STAND_INS = { coredns: '/coredns', 'kube-proxy': '/usr/local/bin/kube-proxy' } as const;

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/** A directory of image archives for the role, made by hand from the binaries: no registry is asked for anything. */
export async function imageTars(role: Role, root: string, say?: Say): Promise<string> {
  const binaries = await kubernetesBinaries(say);
  const { images } = await kubernetesRelease(say);
  const etcd = role === 'worker' ? undefined : await labEtcd(say);
  return cached(
    {
      name: `images-${role}`,
      recipe: { binaries, root, images, etcd: etcd?.programs, standIns: STAND_INS, version: 1 },
      make: async (dir) => {
        await mkdir(dir, { recursive: true });
        // One at a time: each is as large as its program.
        for await (const [file, spec] of specs(images, binaries, etcd))
          await writeFile(join(dir, file), imageTar(spec));
      },
    },
    say,
  );
}

async function* specs(
  images: Release['images'],
  binaries: string,
  etcd: Etcd | undefined,
): AsyncGenerator<[string, ImageSpec]> {
  const pause = await readFile(join(binaries, 'pause'));
  yield [
    'pause.tar',
    { name: images.pause, files: [{ path: '/pause', data: pause }], entrypoint: ['/pause'] },
  ];
  for (const name of ['coredns', 'kube-proxy'] as const) {
    const path = STAND_INS[name];
    const labels = { 'slipway.dev/stand-in': 'holds the pause program only' };
    yield [`${name}.tar`, { name: images[name], files: [{ path, data: pause }], entrypoint: [path], labels }];
  }
  if (etcd === undefined) return;
  for (const component of COMPONENTS) {
    const data = await readFile(join(binaries, component));
    yield [
      `${component}.tar`,
      { name: images[component], files: [{ path: `/usr/local/bin/${component}`, data }] },
    ];
  }
  const files = [];
  for (const path of Object.values(etcd.programs)) {
    files.push({ path: `/usr/local/bin/${basename(path)}`, data: await readFile(path) });
  }
  for (const path of await librariesOf(etcd))
    files.push({ path, data: await readFile(join(etcd.root, path)) });
  yield ['etcd.tar', { name: images.etcd, files }];
}
