import { basename, dirname } from 'node:path';
import { containerdState } from './containerd-state.ts';
import { slimRootTar } from './debian-root.ts';
import { builderLayers } from './image-build.ts';
import { imageTars } from './images.ts';
import { kubernetesBinaries } from './kubernetes.ts';
import { machineLayers } from './open-lab.ts';
import { ignitionPackage } from './oracle.ts';
import { FAKETIME, unpackedPackage } from './unpacked-package.ts';

type Say = (line: string) => void;

/** Make everything that machines of every kind are made of; returns the cache entries that are in use. */
export async function prepareAll(say?: Say): Promise<string[]> {
  const layers = [...(await machineLayers(false, say)), ...(await machineLayers(true, say))];
  const root = layers.at(-1) ?? '';
  const builder = await builderLayers(say);
  const others = [
    dirname(await slimRootTar(say)),
    await ignitionPackage(say),
    await unpackedPackage(FAKETIME, say),
    await kubernetesBinaries(say),
    await imageTars('worker', root, say),
    await imageTars('control-plane', root, say),
    await containerdState('worker', say),
    await containerdState('control-plane', say),
  ];
  return [...new Set([...[...layers, ...builder].map(entryOf), ...others])];
}

/** A root or a layer is a folder inside its cache entry: the modes of the entry itself are not the machine's. */
function entryOf(path: string): string {
  return ['root', 'layer'].includes(basename(path)) ? dirname(path) : path;
}
