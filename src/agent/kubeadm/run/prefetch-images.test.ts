import { writeFileSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../test/support/tmp/scratch.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import type { KubeadmConfig } from '../config/config.ts';
import { prefetchImages } from './prefetch-images.ts';

const IMAGES = ['kube-apiserver:v1.31.2', 'etcd:3.5.15-0', `${'long/'.repeat(40)}pause:3.10`].map(
  (name) => `registry.example/${name}`,
);
/** Lines that kubeadm may print beside images. */
const OTHERS = [
  'W1122 17:47:11.818945 280 version.go:104] nothing from https://dl.example/release/stable-1.txt: timed out',
  'registry.example:5000/without-a-tag',
];

/** Answers as CRI's ImageService does; its messages hold one string each. */
describe('prefetchImages', () => {
  let folder: string;
  let server: Http2Server;
  const sessions = new Set<ServerHttp2Session>();
  let there: Set<string>;
  let pulling: string[];
  let told: string[];
  /** What a pull comes to: undefined, that it never ends; a text, why it failed. */
  let pull: (image: string) => 'done' | string | undefined;

  beforeEach(async () => {
    folder = scratch();
    const lines = [...OTHERS, ...IMAGES].join('\n');
    writeFileSync(join(folder, 'kubeadm'), `#!/bin/sh\ncat <<'END'\n${lines}\nEND\n`, { mode: 0o755 });
    there = new Set();
    pulling = [];
    told = [];
    pull = () => 'done';
    server = createServer();
    server.on('session', (session) => sessions.add(session));
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const image = /registry\.example\S+$/.exec(Buffer.concat(chunks).toString('latin1'))?.[0] ?? '?';
        const isPull = headers[':path'] === '/runtime.v1.ImageService/PullImage';
        if (isPull) pulling.push(image);
        const end = isPull ? pull(image) : 'done';
        if (end === undefined) return;
        const content = !isPull && there.has(image) ? Buffer.from([0x0a, 1, 0x78]) : Buffer.alloc(0);
        const head = Buffer.alloc(5);
        head.writeUInt32BE(content.length, 1);
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () =>
          stream.sendTrailers(
            end === 'done' ? { 'grpc-status': '0' } : { 'grpc-status': '2', 'grpc-message': end },
          ),
        );
        stream.end(Buffer.concat([head, content]));
      });
    });
    await new Promise<void>((resolve) => server.listen(join(folder, 'sock'), resolve));
  });
  afterEach(() => {
    for (const session of sessions) session.destroy();
    sessions.clear();
    server.close();
  });

  const run = (config: Partial<KubeadmConfig> = {}, signal = new AbortController().signal): Promise<void> =>
    prefetchImages(createLinuxHost(), {
      path: join(folder, 'kubeadm'),
      args: ['--config', '/run/kubeadm.yaml'],
      config: {
        criSocket: `unix://${folder}/sock`,
        kubernetesVersion: 'v1.31.2',
        imageRepository: 'registry.example',
        ...config,
      },
      ...{ limitMs: 20_000, signal },
      onProgress: (message) => told.push(message),
    });

  it('pulls what is lacking, all of it at the same time', async () => {
    const first = IMAGES.find((name) => name.includes('etcd')) as string;
    there.add(first);
    // None ends before the other is asked for.
    pull = () => undefined;
    const stop = new AbortController();
    const done = run({}, stop.signal);
    await expect.poll(() => pulling.length).toBe(2);
    stop.abort();
    await done;
    expect(new Set(pulling)).toEqual(new Set(IMAGES.filter((name) => name !== first)));
    expect(told).toEqual(['pulling 2 control plane images in parallel']);
  });

  it('asks for one image only where the machine has them', async () => {
    there.add(IMAGES[0] as string);
    await run();
    expect(pulling).toEqual([]);
    expect(told).toEqual([]);
  });

  it('leaves the word to kubeadm as soon as one cannot be pulled', async () => {
    pull = (image) => (image.includes('etcd') ? 'no such host' : undefined);
    await run();
    expect(told.at(-1)).toBe('an image could not be pulled ahead of kubeadm: no such host');
  });

  it.each([
    ['names no release', { kubernetesVersion: 'stable-1' }],
    ['wants images pulled anew', { imagePullPolicy: 'Always' }],
    ['says how they are pulled', { imagePullSerial: 'true' }],
    ['skips the preflight', { skipPhases: ['preflight'] }],
  ])('does nothing for a configuration that %s', async (_, config) => {
    await run(config);
    expect(pulling).toEqual([]);
  });

  it('does nothing where nobody answers', async () => {
    await run({ criSocket: join(folder, 'nobody') });
    expect(told).toEqual([]);
  });
});
