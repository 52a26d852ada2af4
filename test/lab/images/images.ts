import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { kubernetesBinaries } from '../kubernetes/kubernetes.ts';
import { IMAGES } from '../kubernetes/kubernetes-version.ts';
import { inRootOk } from '../root/in-root.ts';
import { type ImageSpec, imageTar } from './image-tar.ts';

type Say = (line: string) => void;
export type Role = 'control-plane' | 'worker';

/**
 * kubeadm's preflight pulls these two with all others, and the lab has neither program: an image that holds only
 * the pause program stands in, so that unmodified Cluster API user data passes. Such a pod never gets ready; nothing
 * in the lab waits for one.
 */
const STAND_INS = [
  { name: IMAGES.coredns, path: '/coredns' },
  { name: IMAGES.component('kube-proxy'), path: '/usr/local/bin/kube-proxy' },
];

const COMPONENTS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/** A directory of image archives for the role, made by hand from the binaries: no registry is asked for anything. */
export async function imageTars(role: Role, root: string, say?: Say): Promise<string> {
  const binaries = await kubernetesBinaries(say);
  return cached(
    {
      name: `images-${role}`,
      recipe: { binaries, root, standIns: STAND_INS, version: 1 },
      make: async (dir) => {
        await mkdir(dir, { recursive: true });
        // One at a time: each is as large as its program.
        for await (const [file, spec] of specs(role, binaries, root))
          await writeFile(join(dir, file), imageTar(spec));
      },
    },
    say,
  );
}

async function* specs(role: Role, binaries: string, root: string): AsyncGenerator<[string, ImageSpec]> {
  const pause = await readFile(join(binaries, 'pause'));
  yield [
    'pause.tar',
    { name: IMAGES.pause, files: [{ path: '/pause', data: pause }], entrypoint: ['/pause'] },
  ];
  for (const { name, path } of STAND_INS) {
    const labels = { 'slipway.dev/stand-in': 'holds the pause program only' };
    yield [
      `${path.split('/').at(-1)}.tar`,
      { name, files: [{ path, data: pause }], entrypoint: [path], labels },
    ];
  }
  if (role === 'worker') return;
  for (const component of COMPONENTS) {
    const data = await readFile(join(binaries, component));
    yield [
      `${component}.tar`,
      { name: IMAGES.component(component), files: [{ path: `/usr/local/bin/${component}`, data }] },
    ];
  }
  const files = [];
  for (const path of [
    '/usr/bin/etcd',
    '/usr/bin/etcdctl',
    ...(await libraries(root, ['/usr/bin/etcd', '/usr/bin/etcdctl'])),
  ]) {
    files.push({
      path: path.replace(/^\/usr\/bin\//, '/usr/local/bin/'),
      data: await readFile(join(root, path)),
    });
  }
  yield ['etcd.tar', { name: IMAGES.etcd, files }];
}

/** The shared libraries (and the loader) that programs of a root need, at the paths the loader looks for. */
async function libraries(root: string, programs: string[]): Promise<string[]> {
  const text = await inRootOk({ what: 'asking ldd', lower: [root], script: `ldd ${programs.join(' ')}` });
  const found = [...text.matchAll(/(\/lib\S*) \(0x/g)].map((match) => match[1] ?? '');
  return [...new Set(found)].sort();
}
