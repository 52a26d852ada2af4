import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root as checkout, projectVersion } from '../../../build/project.ts';
import { CLOUD_INIT_BOOT, cloudInitRoot, type Finished, withScratchRoot } from '../../lab/lab.ts';
import type { TestRelease } from '../../support/release/test-release.ts';
import { fill } from '../values.ts';

/** What a test changes of the shipped settings, and where the server is. */
export interface Settings {
  readonly url?: string;
  readonly key?: string;
  readonly version?: string;
  readonly sha256?: string;
  readonly wait?: number;
}

/** A file of cloud-init/ with its settings filled in, as its README says. */
export function shipped(name: string, release: TestRelease, settings: Settings = {}): string {
  const { url = 'http://127.0.0.1:8080', key = release.key, version = projectVersion() } = settings;
  return fill(readFileSync(join(checkout, 'cloud-init', name), 'utf8'), {
    URL: url,
    KEY: key,
    VERSION: version,
  })
    .replace(/^( *SLIPWAY_SHA256=)$/m, `$1${settings.sha256 ?? ''}`)
    .replace(/^( *SLIPWAY_WAIT=)300$/m, `$1${settings.wait ?? 300}`);
}

interface Boot {
  readonly userData: string;
  readonly vendorData?: string;
  /** Starts what serves /srv/release. */
  readonly serve: string;
  /** What the server has. */
  readonly folder: string;
  /** Shell that runs before and after. */
  readonly before?: string;
  readonly after: string;
}

export const SERVE =
  'python3 -m http.server 8080 --bind 127.0.0.1 --directory /srv/release >/dev/null 2>&1 &';

/** Runs real cloud-init, stage by stage, in a root of Debian whose network has that server alone. */
export async function boot({
  userData,
  vendorData,
  serve,
  folder,
  before = '',
  after,
}: Boot): Promise<Finished> {
  return withScratchRoot(await cloudInitRoot(), (root) =>
    root.run(
      `seed=/var/lib/cloud/seed/nocloud
mkdir -p $seed
cat >$seed/user-data
if [ -n "$VENDOR_DATA" ]; then printf '%s' "$VENDOR_DATA" >$seed/vendor-data; fi
printf 'instance-id: i-1\\nlocal-hostname: w1\\n' >$seed/meta-data
# This root is no node's. cloud-init's units have the usual PATH.
printf '#!/bin/sh\\n' >/usr/bin/kubeadm; chmod 755 /usr/bin/kubeadm
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
${before}
${serve}
{ ${CLOUD_INIT_BOOT}
} >/dev/null 2>&1 || :
${after}`,
      {
        input: userData,
        env: { VENDOR_DATA: vendorData ?? '' },
        binds: [
          { from: folder, to: '/srv/release', readOnly: true },
          { from: import.meta.dirname, to: '/case', readOnly: true },
        ],
        timeoutMs: 600_000,
      },
    ),
  );
}
