import { existsSync } from 'node:fs';
import { cp, readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cached } from '../cache/cache.ts';
import { LabError, runOk } from '../process/command.ts';
import { buildKubernetes } from './kubernetes-build.ts';
import { downloadKubernetes, unreachable } from './kubernetes-download.ts';
import { KUBERNETES_BINARIES, KUBERNETES_VERSION } from './kubernetes-version.ts';
import { sha256File } from './sha256-file.ts';

type Say = (line: string) => void;

/** The checkout that this lab belongs to. */
export const CHECKOUT = resolve(import.meta.dirname, '../../..');

/**
 * A directory with every one of `KUBERNETES_BINARIES`, from the first of: `$SLIPWAY_KUBERNETES_DIR`,
 * `../shared/kubernetes` beside the checkout, an earlier build or download in the cache, upstream's release
 * (checksums verified), a build from Debian's source package.
 */
export async function kubernetesBinaries(say: Say = () => {}): Promise<string> {
  const named = process.env.SLIPWAY_KUBERNETES_DIR;
  if (named) {
    if (!existsSync(named)) throw new LabError(`SLIPWAY_KUBERNETES_DIR names ${named}, which does not exist`);
    return fromDirectory(named, say);
  }
  const beside = resolve(CHECKOUT, '../shared/kubernetes');
  if (existsSync(beside)) return fromDirectory(beside, say);
  return fromAfar(say);
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
        await checkComplete(made, join(dir, archive));
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

async function fromPlainDirectory(dir: string, say: Say): Promise<string> {
  await checkComplete(dir, dir);
  const seen: Record<string, string> = {};
  for (const name of KUBERNETES_BINARIES) {
    const { size, mtimeMs } = await stat(join(dir, name));
    seen[name] = `${size} ${mtimeMs}`;
  }
  return cached(
    {
      name: 'kubernetes',
      recipe: { dir: resolve(dir), seen },
      make: async (made) => {
        for (const name of KUBERNETES_BINARIES) await cp(join(dir, name), join(made, name));
      },
    },
    say,
  );
}

/** Without any copy at hand: what the cache has, else a download, else a build. All three are the same entry. */
function fromAfar(say: Say): Promise<string> {
  return cached(
    {
      name: 'kubernetes',
      recipe: { version: KUBERNETES_VERSION, from: 'upstream or debian' },
      make: async (made) => {
        const why = await unreachable();
        if (why === undefined) {
          await downloadKubernetes(made, say);
          // Upstream has no pause program outside of its image.
          await buildKubernetes(made, say, ['pause']);
        } else {
          say(`no release download (${why}): building from Debian's source package, about 15 minutes`);
          await buildKubernetes(made, say);
        }
        await checkComplete(made, made);
      },
    },
    say,
  );
}

async function checkComplete(dir: string, source: string): Promise<void> {
  const missing = KUBERNETES_BINARIES.filter((name) => !existsSync(join(dir, name)));
  if (missing.length > 0) throw new LabError(`${source} lacks ${missing.join(', ')}`);
}
