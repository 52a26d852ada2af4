import { basename, dirname } from 'node:path';
import { containerdState } from './images/containerd-state.ts';
import { builderLayers } from './images/image-build.ts';
import { imageTars } from './images/images.ts';
import { kubernetesBinaries } from './kubernetes/kubernetes.ts';
import { machineLayers } from './open-lab.ts';
import { slimRootTar } from './root/debian-root.ts';
import { ignitionPackage } from './root/oracle.ts';
import { FAKETIME, unpackedPackage } from './root/unpacked-package.ts';

type Say = (line: string) => void;

/** Make what machines of both flavours and both roles are made of, as many of it at once as can be; two minutes the first time. */
export async function prepareMachines(say?: Say): Promise<void> {
  await Promise.all([
    machineLayers(true, say),
    containerdState('worker', say),
    containerdState('control-plane', say),
  ]);
}

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
