import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { type TarEntry, tar } from '../../../src/kit/bytes/tar.ts';

/** A container image of one layer, made from files. */
export interface ImageSpec {
  /** Name with tag, e.g. "k8s.gcr.io/pause:3.2". */
  name: string;
  files: readonly { path: string; data: Uint8Array; mode?: number }[];
  entrypoint?: readonly string[];
  labels?: Readonly<Record<string, string>>;
}

/** A docker-archive (`ctr images import` reads it) with one layer; the same content gives the same bytes. */
export function imageTar(spec: ImageSpec): Buffer {
  const layer = tar(layerEntries(spec), 0);
  const diffId = sha256(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      created: '1970-01-01T00:00:00Z',
      // PATH must be here: the runtime has no default, and kubeadm's manifests name programs without a folder.
      config: {
        Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        WorkingDir: '/',
        ...(spec.entrypoint ? { Entrypoint: spec.entrypoint } : {}),
        ...(spec.labels ? { Labels: spec.labels } : {}),
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${diffId}`] },
      history: [{ created: '1970-01-01T00:00:00Z', created_by: 'slipway lab' }],
    }),
  );
  const configName = `${sha256(config)}.json`;
  const layerName = `${diffId}/layer.tar`;
  const manifest = JSON.stringify([{ Config: configName, RepoTags: [spec.name], Layers: [layerName] }]);
  const files = [
    { path: layerName, content: layer },
    { path: configName, content: config },
    { path: 'manifest.json', content: Buffer.from(manifest) },
  ];
  return tar(files, 0);
}

function layerEntries(spec: ImageSpec): TarEntry[] {
  const files = [
    { path: '/etc/passwd', content: Buffer.from('root:x:0:0:root:/root:/sbin/nologin\n'), mode: 0o644 },
    { path: '/etc/nsswitch.conf', content: Buffer.from('hosts: files dns\n'), mode: 0o644 },
    ...spec.files.map((file) => ({ path: file.path, content: file.data, mode: file.mode ?? 0o755 })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const directories = new Map<string, number>([['tmp/', 0o1777]]);
  for (const file of files) {
    for (let dir = posix.dirname(file.path); dir !== '/'; dir = posix.dirname(dir)) {
      directories.set(`${dir.slice(1)}/`, 0o755);
    }
  }
  return [
    ...[...directories].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, mode]) => ({ path, mode })),
    ...files.map((file) => ({ path: file.path.slice(1), content: file.content, mode: file.mode })),
  ];
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
