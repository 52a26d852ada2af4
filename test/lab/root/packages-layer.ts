import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../cache/cache.ts';
import { formatSources, hostAptSources, SUITE } from './apt.ts';
import { fullRoot } from './debian-root.ts';
import { inRootOk, withScratchDir } from './in-root.ts';

/**
 * Lower directories (uppermost first) of the lab's Debian root with more packages in it, installed by the root's own apt.
 *
 * @param name of the cache entry
 * @throws LabError where they cannot be had
 */
export async function rootWith(
  name: string,
  packages: readonly string[],
  say?: (line: string) => void,
): Promise<string[]> {
  const base = await fullRoot(say);
  const layer = await cached(
    {
      name,
      recipe: { suite: SUITE, base, packages, version: 1 },
      make: (dir) => install(join(dir, 'layer'), base, packages),
    },
    say,
  );
  return [join(layer, 'layer'), base];
}

async function install(layer: string, base: string, packages: readonly string[]): Promise<void> {
  await mkdir(layer, { mode: 0o755 });
  await withScratchDir(async (scratch) => {
    const dir = await mkdtemp(join(scratch, 'sources-'));
    await writeFile(join(dir, 'lab.sources'), formatSources(await hostAptSources()));
    await inRootOk({
      what: `installing ${packages.join(' ')}`,
      lower: [base],
      upper: layer,
      network: true,
      binds: [{ from: dir, to: '/mnt', readOnly: true }],
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      // What apt keeps for itself would be most of the layer.
      script: `
apt="apt-get -q -y -o Dir::Etc::sourcelist=/mnt/lab.sources -o Dir::Etc::sourceparts=/dev/null -o APT::Sandbox::User=root
  -o Acquire::Retries=3 -o Dpkg::Use-Pty=0"
printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
$apt update
$apt install --no-install-recommends ${packages.join(' ')}
rm -rf /usr/sbin/policy-rc.d /var/lib/apt/lists/* /var/cache/apt/*`,
      timeoutMs: 600_000,
    });
    await rm(dir, { recursive: true });
  });
}
