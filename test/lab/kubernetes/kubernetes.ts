import { existsSync } from 'node:fs';
import { cp, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cached } from '../cache/cache.ts';
import { LabError, runOk } from '../process/command.ts';
import { buildKubernetes } from './kubernetes-build.ts';
import { downloadCompanions, downloadKubernetes } from './kubernetes-download.ts';
import {
  DEBIAN_VERSION,
  ETCD_PROGRAMS,
  KUBERNETES_BINARIES,
  KUBERNETES_PROGRAMS,
  RUNTIME_PROGRAMS,
} from './kubernetes-version.ts';
import { needsCrictl, type Release, releaseOf } from './release.ts';
import { sha256File } from './sha256-file.ts';
import { upstreamRelease } from './upstream-release.ts';

type Say = (line: string) => void;

/** The checkout that this lab belongs to. */
export const CHECKOUT = resolve(import.meta.dirname, '../../..');

/**
 * A directory with every one of `KUBERNETES_PROGRAMS` and `pause`, from the first of: `$SLIPWAY_KUBERNETES_DIR`,
 * upstream's newest release (checksums verified) where it can be reached or was before, `../shared/kubernetes` beside the
 * checkout, a build from Debian's source package.
 */
export async function kubernetesBinaries(say: Say = () => {}): Promise<string> {
  const named = process.env.SLIPWAY_KUBERNETES_DIR;
  if (named) {
    if (!existsSync(named)) throw new LabError(`SLIPWAY_KUBERNETES_DIR names ${named}, which does not exist`);
    return fromDirectory(named, say);
  }
  const version = await upstreamRelease(say);
  if (version !== undefined) return fromUpstream(version, say);
  const beside = resolve(CHECKOUT, '../shared/kubernetes');
  return existsSync(beside) ? fromDirectory(beside, say) : fromDebian(say);
}

/** A directory that holds either the binaries themselves or one archive of them with its SHA256SUMS. */
async function fromDirectory(dir: string, say: Say): Promise<string> {
  const names = await readdir(dir);
  if (names.includes('kubeadm')) return fromPlainDirectory(dir, say);
  const archive = names.find((name) => /^kubernetes-.*\.tar\.(xz|gz|zst)$/.test(name));
  if (archive === undefined) {
    throw new LabError(
      `${dir} has neither a kubeadm nor a kubernetes-*.tar.xz: nothing there to make a machine of`,
    );
  }
  const expected = await expectedSum(dir, archive);
  return cached(
    {
      name: 'kubernetes',
      recipe: { archive, sha256: expected },
      make: async (made) => {
        const actual = await sha256File(join(dir, archive));
        if (actual !== expected) {
          throw new LabError(
            `${join(dir, archive)} is damaged: SHA256SUMS says ${expected}, it is ${actual}`,
          );
        }
        await runOk('tar', ['-xf', join(dir, archive), '-C', made, '--no-same-owner']);
        await complete(made, join(dir, archive), say);
      },
    },
    say,
  );
}

async function expectedSum(dir: string, archive: string): Promise<string> {
  const file = join(dir, 'SHA256SUMS');
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  for (const line of text.split('\n')) {
    const match = /^([0-9a-f]{64}) [ *](?:\.\/)?(.+)$/.exec(line);
    if (match?.[1] !== undefined && match[2] === archive) return match[1];
  }
  throw new LabError(
    `${file} has no SHA-256 sum for ${archive}: an archive that cannot be verified is not used`,
  );
}

const KNOWN_PROGRAMS = [...KUBERNETES_BINARIES, ...RUNTIME_PROGRAMS, ...ETCD_PROGRAMS];

async function fromPlainDirectory(dir: string, say: Say): Promise<string> {
  const names = KNOWN_PROGRAMS.filter((name) => existsSync(join(dir, name)));
  const seen: Record<string, string> = {};
  for (const name of names) {
    const { size, mtimeMs } = await stat(join(dir, name));
    seen[name] = `${size} ${mtimeMs}`;
  }
  return cached(
    {
      name: 'kubernetes',
      recipe: { dir: resolve(dir), seen },
      make: async (made) => {
        for (const name of names) await cp(join(dir, name), join(made, name), { dereference: true });
        await complete(made, dir, say);
      },
    },
    say,
  );
}

function fromUpstream(version: string, say: Say): Promise<string> {
  return cached(
    {
      name: 'kubernetes',
      recipe: { version, from: 'upstream' },
      make: async (made) => {
        await downloadKubernetes(made, version, say);
        await downloadCompanions(made, await askKubeadm(join(made, 'kubeadm')), say);
        await complete(made, made, say);
      },
    },
    say,
  );
}

function fromDebian(say: Say): Promise<string> {
  return cached(
    {
      name: 'kubernetes',
      recipe: { version: DEBIAN_VERSION, from: 'upstream or debian' },
      make: async (made) => {
        say("building Kubernetes from Debian's source package, about 15 minutes");
        await buildKubernetes(made, say);
        await complete(made, made, say);
      },
    },
    say,
  );
}

/** @throws LabError for what is missing and cannot be made */
async function complete(dir: string, source: string, say: Say): Promise<void> {
  const missing = KUBERNETES_PROGRAMS.filter((name) => !existsSync(join(dir, name)));
  if (missing.length > 0) throw new LabError(`${source} lacks ${missing.join(', ')}`);
  const { version, minor } = await askKubeadm(join(dir, 'kubeadm'));
  if (needsCrictl(minor) && !existsSync(join(dir, 'crictl'))) {
    throw new LabError(`${source} lacks crictl, which kubeadm ${version} asks the container runtime with`);
  }
  // Upstream has no pause program outside of its image.
  if (!existsSync(join(dir, 'pause'))) await buildKubernetes(dir, say, ['pause']);
}

/** Which release the lab has. */
export async function kubernetesRelease(say?: Say): Promise<Release> {
  return releaseIn(await kubernetesBinaries(say));
}

const known = new Map<string, Promise<Release>>();

function releaseIn(dir: string): Promise<Release> {
  const before = known.get(dir);
  if (before !== undefined) return before;
  const asked = askKubeadm(join(dir, 'kubeadm'));
  known.set(dir, asked);
  return asked;
}

async function askKubeadm(kubeadm: string): Promise<Release> {
  const version = (await runOk(kubeadm, ['version', '--output=short'])).trim();
  // With the version it asks nobody on the internet.
  return releaseOf(
    version,
    await runOk(kubeadm, ['config', 'images', 'list', `--kubernetes-version=${version}`]),
  );
}
