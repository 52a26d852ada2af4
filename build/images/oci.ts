import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type TarEntry, tar } from '../../src/kit/tar.ts';
import type { Platform } from '../platforms.ts';
import type { Package } from './tree.ts';

const ARCHITECTURES: Readonly<Record<Platform, string>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };
const MEDIA = 'application/vnd.oci.image';

/**
 * Makes an image with the agent and nothing else, for image builds that copy from images: `COPY --from=... /slipway`. It
 * is an archive of the OCI image layout (specification 1.0), which podman, buildah, skopeo and docker read.
 *
 * @returns its path
 */
export function makeOci({ platform, from, version, epoch, output }: Package): string {
  const architecture = ARCHITECTURES[platform];
  const layer = tar(
    [
      { path: 'slipway', content: readFileSync(join(from, `slipway-${platform}`)), mode: 0o755 },
      { path: 'LICENSES.txt', content: readFileSync(join(from, 'LICENSES.txt')), mode: 0o644 },
    ],
    epoch,
  );
  const packed = new Blobs();
  const layerBlob = packed.add(`${MEDIA}.layer.v1.tar+gzip`, gzipSync(layer));
  const created = new Date(epoch * 1000).toISOString().replace('.000Z', 'Z');
  const config = packed.addJson(`${MEDIA}.config.v1+json`, {
    created,
    architecture,
    os: 'linux',
    config: { Entrypoint: ['/slipway'], Labels: { 'org.opencontainers.image.version': version } },
    rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layer)}`] },
    history: [{ created, created_by: 'slipway' }],
  });
  const manifestType = `${MEDIA}.manifest.v1+json`;
  const manifest = packed.addJson(manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config,
    layers: [layerBlob],
  });
  const index = {
    schemaVersion: 2,
    mediaType: `${MEDIA}.index.v1+json`,
    manifests: [
      {
        ...manifest,
        platform: { architecture, os: 'linux' },
        annotations: { 'org.opencontainers.image.ref.name': `slipway:${version}` },
      },
    ],
  };
  const path = `${output}-${version}-${architecture}.oci.tar`;
  const files = [
    ...packed.files,
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
