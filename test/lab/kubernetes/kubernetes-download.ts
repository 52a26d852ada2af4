import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LabError, runOk } from '../process/command.ts';
import { withScratchDir } from '../root/in-root.ts';
import { KUBERNETES_VERSION } from './kubernetes-version.ts';
import { sha256File } from './sha256-file.ts';

type Say = (line: string) => void;

/** Where releases are published: Kubernetes itself, and crictl by the cri-tools project. */
export interface ReleaseHosts {
  kubernetes: string;
  criTools: string;
}

const UPSTREAM: ReleaseHosts = { kubernetes: 'https://dl.k8s.io', criTools: 'https://github.com' };

const FROM_RELEASE = [
  'kubeadm',
  'kubelet',
  'kubectl',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
];
const CRI_TOOLS_VERSION = 'v1.20.0';

/** Nobody should wait long to learn that there is no internet. */
const CONNECT_MS = 4_000;

/** Why upstream's release cannot be reached, or undefined when it can. */
export async function unreachable(hosts: ReleaseHosts = UPSTREAM): Promise<string | undefined> {
  const url = `${hosts.kubernetes}/release/${KUBERNETES_VERSION}/bin/linux/amd64/kubeadm.sha256`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(CONNECT_MS) });
    return answer.ok ? undefined : `${url} answers ${answer.status}`;
  } catch (error) {
    return `${new URL(url).host}: ${reason(error)}`;
  }
}

/** fetch says "fetch failed" and keeps the cause to itself. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/**
 * Upstream's release binaries and crictl into `dir`, each checked against the SHA-256 published beside it.
 * @throws LabError naming the file that could not be had or is not what was published
 */
export async function downloadKubernetes(
  dir: string,
  say: Say,
  hosts: ReleaseHosts = UPSTREAM,
): Promise<void> {
  for (const name of FROM_RELEASE) {
    say(`downloading ${name}`);
    await downloadChecked(
      `${hosts.kubernetes}/release/${KUBERNETES_VERSION}/bin/linux/amd64/${name}`,
      join(dir, name),
    );
    await chmod(join(dir, name), 0o755);
  }
  say('downloading crictl');
  await mkdir(dir, { recursive: true });
  await withScratchDir(async (scratch) => {
    const archive = `crictl-${CRI_TOOLS_VERSION}-linux-amd64.tar.gz`;
    const releases = `${hosts.criTools}/kubernetes-sigs/cri-tools/releases/download/${CRI_TOOLS_VERSION}`;
    await downloadChecked(`${releases}/${archive}`, join(scratch, archive));
    await runOk('tar', ['-xzf', join(scratch, archive), '-C', dir, '--no-same-owner', 'crictl']);
  });
}

/** Download a file whose sum is published as `url`.sha256; the file appears only when it is right. */
export async function downloadChecked(url: string, to: string): Promise<void> {
  const sum = /^[0-9a-f]{64}/.exec((await (await get(`${url}.sha256`)).text()).trim())?.[0];
  if (sum === undefined) throw new LabError(`${url}.sha256 holds no SHA-256 sum`);
  const partial = `${to}.partial`;
  try {
    const { body } = await get(url);
    if (body === null) throw new LabError(`${url} is empty`);
    await pipeline(Readable.fromWeb(body), createWriteStream(partial));
    const actual = await sha256File(partial);
    if (actual !== sum) {
      throw new LabError(
        `${basename(to)} from ${url} is not what was published: SHA-256 ${actual} instead of ${sum}`,
      );
    }
    await rename(partial, to);
  } finally {
    await rm(partial, { force: true });
  }
}

async function get(url: string): Promise<Response> {
  let answer: Response;
  try {
    // The whole download may take long; only a server that says nothing at all is given up.
    answer = await fetch(url, { signal: AbortSignal.timeout(600_000) });
  } catch (error) {
    throw new LabError(`cannot download ${url}: ${reason(error)}`);
  }
  if (!answer.ok) throw new LabError(`cannot download ${url}: the server answers ${answer.status}`);
  return answer;
}
