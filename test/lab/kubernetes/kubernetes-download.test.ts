import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileServer } from './file-server.ts';
import { downloadCompanions, downloadKubernetes, newestRelease } from './kubernetes-download.ts';
import type { Release } from './release.ts';

let server: FileServer;
let files: Record<string, Buffer>;
let dir: string;
const before = process.env.SLIPWAY_LAB_CACHE;
beforeEach(async () => {
  files = {};
  server = await FileServer.start((path) => files[path]);
  dir = await mkdtemp(join(tmpdir(), 'lab-download-'));
  process.env.SLIPWAY_LAB_CACHE = join(dir, 'cache');
});
afterEach(async () => {
  if (before === undefined) delete process.env.SLIPWAY_LAB_CACHE;
  else process.env.SLIPWAY_LAB_CACHE = before;
  server.close();
  await rm(dir, { recursive: true });
});

const hosts = () => ({ kubernetes: server.url, github: server.url });
const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');
const text = (words: string) => Buffer.from(words);

describe('the newest release', () => {
  it('is the stable one', async () => {
    files['/release/stable.txt'] = text('v1.36.4\n');
    expect(await newestRelease(hosts())).toBe('v1.36.4');
  });

  it('is the last that the lab knows where upstream is further', async () => {
    files['/release/stable.txt'] = text('v1.38.0');
    files['/release/stable-1.36.txt'] = text('v1.36.9');
    expect(await newestRelease(hosts())).toBe('v1.36.9');
  });

  it.each([
    ['nothing there', undefined, /404/],
    ['a page for people', '<html>sign in</html>', /names no release/],
  ])('is none with %s', async (_, answer, why) => {
    if (answer !== undefined) files['/release/stable.txt'] = text(answer);
    await expect(newestRelease(hosts())).rejects.toThrow(why);
  });

  it('is none where nobody listens', async () => {
    const nobody = { kubernetes: 'http://127.0.0.1:1', github: '' };
    await expect(newestRelease(nobody)).rejects.toThrow(/127\.0\.0\.1:1/);
  });
});

it('downloads the programs of a release, fit to be run', async () => {
  const names = ['kubeadm', 'kubelet', 'kubectl', 'kube-apiserver'];
  const all = [...names, 'kube-controller-manager', 'kube-scheduler'];
  for (const name of all) {
    files[`/release/v1.36.4/bin/linux/amd64/${name}`] = text(name);
    files[`/release/v1.36.4/bin/linux/amd64/${name}.sha256`] = text(sha256(text(name)));
  }
  const to = join(dir, 'to');
  mkdirSync(to);
  await downloadKubernetes(to, 'v1.36.4', () => {}, hosts());
  expect((await readdir(to)).sort()).toEqual([...all].sort());
  expect(readFileSync(join(to, 'kubelet'), 'utf8')).toBe('kubelet');
  expect(statSync(join(to, 'kubeadm')).mode & 0o111).toBe(0o111);
});

describe('what belongs to a release', () => {
  const images = { etcd: 'registry.k8s.io/etcd:3.6.8-0' } as Release['images'];
  const containerd = 'containerd-static-2.1.9-linux-amd64.tar.gz';

  beforeEach(() => {
    const tools = '/kubernetes-sigs/cri-tools/releases/download/v1.36.0/crictl-v1.36.0-linux-amd64.tar.gz';
    const etcd = '/etcd-io/etcd/releases/download/v3.6.8';
    publish(tools, ['crictl']);
    files[`${tools}.sha256`] = text(sha256(files[tools] ?? text('')));
    const archive = 'etcd-v3.6.8-linux-amd64';
    publish(`${etcd}/${archive}.tar.gz`, [`${archive}/etcd`, `${archive}/etcdctl`, `${archive}/README.md`]);
    const sum = sha256(files[`${etcd}/${archive}.tar.gz`] ?? text(''));
    files[`${etcd}/SHA256SUMS`] = text(
      `${'0'.repeat(64)}  etcd-v3.6.8-linux-arm64.tar.gz\n${sum}  ${archive}.tar.gz\n`,
    );
    const at = `/containerd/containerd/releases/download/v2.1.9/${containerd}`;
    publish(at, ['bin/containerd', 'bin/containerd-shim-runc-v2', 'bin/ctr', 'bin/containerd-stress']);
    files[`${at}.sha256sum`] = text(`${sha256(files[at] ?? text(''))}  ${containerd}\n`);
  });

  /** A tar.gz of files that say their own names. */
  function publish(path: string, members: readonly string[]): void {
    const tree = join(dir, 'tree', path);
    for (const member of members) {
      mkdirSync(dirname(join(tree, member)), { recursive: true });
      writeFileSync(join(tree, member), member, { mode: 0o755 });
    }
    files[path] = Buffer.from(
      execaSync('tar', ['-czf', '-', '-C', tree, ...members], { encoding: 'buffer' }).stdout,
    );
  }

  async function companions(minor: number): Promise<string[]> {
    const to = join(dir, `of-${minor}`);
    mkdirSync(to);
    await downloadCompanions(to, { minor, images }, () => {}, hosts());
    return (await readdir(to)).sort();
  }

  it('is crictl, etcd of the version that kubeadm names, and a containerd', async () => {
    const expected = ['containerd', 'containerd-shim-runc-v2', 'crictl', 'ctr', 'etcd', 'etcdctl'];
    expect(await companions(36)).toEqual(expected);
    expect(statSync(join(dir, 'of-36/etcd')).mode & 0o111).toBe(0o111);
  });

  it('is refused where one is not what was published', async () => {
    files[`/containerd/containerd/releases/download/v2.1.9/${containerd}.sha256sum`] = text(
      `${'0'.repeat(64)}  ${containerd}\n`,
    );
    await expect(companions(36)).rejects.toThrow(/not what was published/);
  });
});
