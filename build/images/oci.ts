import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type TarEntry, tar } from '../../src/kit/bytes/tar.ts';
import type { Platform } from '../platforms.ts';
import type { Package } from './tree.ts';

const ARCHITECTURES: Readonly<Record<Platform, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };
const MEDIA = 'application/vnd.oci.image';

/** What an image of one platform is packed of. */
type Packed = Pick<Package, 'platform' | 'from' | 'version' | 'epoch' | 'output'>;

/**
 * Makes an image with the agent and nothing else, for image builds that copy from images: `COPY --from=... /slipway`. It
 * is an archive of the OCI image layout (specification 1.0), which podman, buildah, skopeo and docker read.
 *
 * @returns its path
 */
export function makeOci(made: Packed): string {
  const blobs = new Blobs();
  const manifest = addImage(blobs, made);
  return writeArchive(blobs, manifest, made, `-${ARCHITECTURES[made.platform]}`);
}

/** Makes one archive of the images of several platforms, of which each reader takes its own. @returns its path */
export function makeOciIndex(platforms: readonly Platform[], made: Omit<Packed, 'platform'>): string {
  const blobs = new Blobs();
  const manifests = platforms.map((platform) => addImage(blobs, { ...made, platform }));
  const mediaType = `${MEDIA}.index.v1+json`;
  const index = blobs.addJson(mediaType, { schemaVersion: 2, mediaType, manifests });
  return writeArchive(blobs, index, made, '');
}

function addImage(blobs: Blobs, { platform, from, version, epoch }: Packed): Descriptor {
  const architecture = ARCHITECTURES[platform];
  const layer = tar(
    [
      { path: 'slipway', content: readFileSync(join(from, `slipway-${platform}`)), mode: 0o755 },
      { path: 'LICENSES.txt', content: readFileSync(join(from, 'LICENSES.txt')), mode: 0o644 },
    ],
    epoch,
  );
  const layerBlob = blobs.add(`${MEDIA}.layer.v1.tar+gzip`, gzipSync(layer));
  const created = new Date(epoch * 1000).toISOString().replace('.000Z', 'Z');
  const config = blobs.addJson(`${MEDIA}.config.v1+json`, {
    created,
    architecture,
    os: 'linux',
    config: { Entrypoint: ['/slipway'], Labels: { 'org.opencontainers.image.version': version } },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
    history: [{ created, created_by: 'slipway' }],
  });
  const mediaType = `${MEDIA}.manifest.v1+json`;
  const manifest = blobs.addJson(mediaType, { schemaVersion: 2, mediaType, config, layers: [layerBlob] });
  return { ...manifest, platform: { architecture, os: 'linux' } };
}

function writeArchive(
  blobs: Blobs,
  image: Descriptor,
  { version, epoch, output }: Omit<Packed, 'platform'>,
  suffix: string,
): string {
  const annotations = { 'org.opencontainers.image.ref.name': `slipway:${version}` };
  const index = {
    schemaVersion: 2,
    mediaType: `${MEDIA}.index.v1+json`,
    manifests: [{ ...image, annotations }],
  };
  const path = `${output}-${version}${suffix}.oci.tar`;
  const files = [
    ...blobs.files,
    file('index.json', index),
    file('oci-layout', { imageLayoutVersion: '1.0.0' }),
  ];
  writeFileSync(path, tar(files, epoch));
  return path;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
}

/** Contents by their digest. */
class Blobs {
  readonly files: TarEntry[] = [];

  add(mediaType: string, content: Buffer): Descriptor {
    const sum = sha256(content);
    this.files.push({ path: `blobs/sha256/${sum}`, content, mode: 0o644 });
    return { mediaType, digest: `sha256:${sum}`, size: content.length };
  }

  addJson(mediaType: string, value: unknown): Descriptor {
    return this.add(mediaType, Buffer.from(JSON.stringify(value)));
  }
}

function file(path: string, value: unknown): TarEntry {
  return { path, content: Buffer.from(JSON.stringify(value)), mode: 0o644 };
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
