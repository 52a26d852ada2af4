import { dirname, resolve } from 'node:path';
import { UsageError } from '../../kit/errors.ts';
import { pluralize } from '../../kit/pluralize.ts';
import { collect } from '../collect/collect.ts';
import { createHost } from '../create-host.ts';
import { HostError } from '../host/host.ts';
import { requireRoot, withUsageErrors } from './options/options.ts';
import { collectPlan } from './process/collect-plan.ts';
import { version } from './process/version.ts';

const LIMIT_MS = 30_000;

interface CollectFlags {
  out?: string;
}

/** `slipway collect`: 0 with an archive, however much is in it; 2 when it cannot be written. */
export function collectCommand({ out }: CollectFlags): Promise<number> {
  return withUsageErrors(async () => {
    requireRoot('collect what a node has to tell', 'slipway collect');
    const host = createHost();
    // A slip of the pen is told before half a minute of work, and makes no directory.
    const folder = out === undefined || out === '-' ? undefined : dirname(resolve(out));
    if (folder !== undefined && (await host.ownFiles.stat(folder)) === undefined)
      throw new UsageError(`--out ${out}: there is no directory ${folder}`);
    const { archive, files, missing } = await collect(host, {
      agent: version().version,
      limitMs: LIMIT_MS,
      more: await collectPlan(host),
    });
    if (out === '-') {
      await new Promise<void>((done) => process.stdout.write(archive, () => done()));
      return 0;
    }
    const time = host.clock.now().toISOString().replace(/\D/g, '').slice(0, 14);
    const path = resolve(out ?? `slipway-${host.hostname()}-${time}.tar.zst`);
    try {
      await host.ownFiles.write(path, archive, { mode: 0o600 });
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      throw new UsageError(`the archive cannot be written: ${error.message}`);
    }
    const kib = Math.ceil(archive.length / 1024);
    process.stdout.write(
      `${path}: ${pluralize(files, 'file')}, ${kib} KiB; ${missing.length} not there (README.txt says which)\n`,
    );
    return 0;
  });
}
