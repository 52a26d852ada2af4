import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { CHECKOUT } from '../kubernetes/kubernetes.ts';
import { fullRoot, plainLayer, scriptedLayer, slimRootTar } from '../root/debian-root.ts';
import { inRootOk, withScratchDir } from '../root/in-root.ts';

type Say = (line: string) => void;

/** The one image that a Containerfile here may stand on. No registry is asked: it is made of Debian's packages. */
const BASE = 'docker.io/library/debian:bookworm-slim';

/** vfs, as the builder's own disk is an overlay already; nothing is RUN, so nothing needs isolation. */
const BUILDAH = 'buildah --storage-driver=vfs';
const BUILD = `${BUILDAH} build --isolation=chroot --pull=never --layers=false --format=docker --timestamp=0 --quiet`;

const INSTALL = `
apt-get -q update
apt-get -qy install --no-install-recommends buildah
apt-get clean
rm -rf /var/lib/apt/lists/*
`;

const MAKE_BASE = `
printf 'FROM scratch\\nADD rootfs.tar /\\nCMD ["bash"]\\n' > /tmp/Containerfile
${BUILD} --file=/tmp/Containerfile --tag=${BASE} /slim
`;

/** Debian's buildah with the base image in its store; uppermost directory first. */
export async function builderLayers(say?: Say): Promise<string[]> {
  const below = [await plainLayer(say), await fullRoot(say)];
  const buildah = await scriptedLayer({ name: 'buildah', lower: below, script: INSTALL, network: true }, say);
  const slim = await slimRootTar(say);
  const lower = [buildah, ...below];
  const base = await cached(
    {
      name: 'buildah-base',
      recipe: { lower, slim, script: MAKE_BASE, version: 1 },
      make: async (made) => {
        await inRootOk({
          what: `making the image ${BASE}`,
          lower,
          upper: join(made, 'layer'),
          binds: [{ from: dirname(slim), to: '/slim', readOnly: true }],
          script: MAKE_BASE,
        });
      },
    },
    say,
  );
  return [join(base, 'layer'), ...lower];
}

/**
 * Builds a Containerfile of the checkout, which is its context too, without a network.
 *
 * @param file below the checkout
 * @param name with tag
 * @param to becomes the image as a docker-archive (`ctr images import` reads it)
 * @throws LabError with what buildah says
 */
export async function buildImage(file: string, name: string, to: string, say?: Say): Promise<void> {
  const lower = await builderLayers(say);
  await withScratchDir(async (scratch) => {
    const out = join(scratch, 'out');
    await mkdir(out);
    await inRootOk({
      what: `building ${file}`,
      lower,
      binds: [
        { from: CHECKOUT, to: '/context', readOnly: true },
        { from: out, to: '/out' },
      ],
      script: `${BUILD} --file=/context/${file} --tag=${name} /context
${BUILDAH} push --quiet ${name} docker-archive:/out/image.tar:${name}`,
      timeoutMs: 600_000,
    });
    await copyFile(join(out, 'image.tar'), to);
  });
}
