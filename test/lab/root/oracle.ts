import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finished, run } from '../process/command.ts';
import { fullRoot } from './debian-root.ts';
import { type InRoot, inRoot, withScratchDir } from './in-root.ts';
import { cloudInitLayer } from './node-layer.ts';
import { unpackedPackage } from './unpacked-package.ts';

type Say = (line: string) => void;

/** The peers that Slipway is compared with, run for real on a directory: nothing here boots a machine. */

/** Lower directories (uppermost first) of a Debian root with cloud-init, for `withScratchRoot`. */
export async function cloudInitRoot(say?: Say): Promise<string[]> {
  return [await cloudInitLayer(say), await fullRoot(say)];
}

/** A copy of a root that can be changed freely and is thrown away afterwards. */
export interface ScratchRoot {
  /** Run a script inside, by `sh -ec` in namespaces of its own; may be called again and again. */
  run: (
    script: string,
    options?: Pick<InRoot, 'binds' | 'env' | 'input' | 'network' | 'timeoutMs'>,
  ) => Promise<Finished>;
  /**
   * What was changed in it so far, as a directory of the host, /run excepted. Read it between runs; write only before
   * the first.
   */
  changes: string;
  /** Its /run, which stays from one run to the next. */
  runDir: string;
}

/** Use a root of these lower directories; only changes take space. */
export async function withScratchRoot<T>(
  lower: readonly string[],
  use: (root: ScratchRoot) => Promise<T>,
): Promise<T> {
  return withScratchDir(async (dir) => {
    const [changes, runDir] = [join(dir, 'changes'), join(dir, 'run')];
    for (const sub of [changes, runDir]) await mkdir(sub, { mode: 0o755 });
    return use({
      changes,
      runDir,
      run: (script, options) => inRoot({ ...options, lower, upper: changes, runDir, script }),
    });
  });
}

/** What cloud-init did with user data, stage by stage, exactly as its units would have run it at boot. */
export const CLOUD_INIT_BOOT = `
cloud-init init --local
cloud-init init
cloud-init modules --mode config
cloud-init modules --mode final
`;

/** Debian's Ignition, unpacked: the engine itself, which no Debian has on its PATH. */
async function ignitionBinary(say?: Say): Promise<string> {
  return join(await ignitionPackage(say), 'usr/lib/dracut/modules.d/30ignition/ignition');
}

/** Beside the engine in the same package: checks a configuration and says where it is wrong. */
export async function ignitionValidator(say?: Say): Promise<string> {
  return join(await ignitionPackage(say), 'usr/bin/ignition-validate');
}

/** The cache entry with Debian's package, unpacked. */
export function ignitionPackage(say?: Say): Promise<string> {
  return unpackedPackage('ignition', say);
}

/**
 * Apply an Ignition configuration (JSON) to a directory with the real engine.
 * The directory gets what SELinux relabelling insists on (a disabled policy's configuration); the relabelling program
 * itself is `true`. /run of this host is not touched.
 */
export async function runIgnition(config: string, root: string): Promise<Finished> {
  const engine = await ignitionBinary();
  return withScratchDir(async (scratch) => {
    const script = `
mount -t tmpfs tmpfs /run
mkdir -p /run/ignition "$ROOT/etc/selinux" "$SCRATCH/bin"
ln -s /bin/true "$SCRATCH/bin/setfiles"
export PATH="$SCRATCH/bin:$PATH" IGNITION_CONFIG_FILE="$SCRATCH/config.ign"
cat > "$IGNITION_CONFIG_FILE"
[ -e "$ROOT/etc/selinux/config" ] || printf 'SELINUX=disabled\\nSELINUXTYPE=targeted\\n' > "$ROOT/etc/selinux/config"
for stage in fetch-offline fetch files; do
  "$ENGINE" --platform file --root "$ROOT" --stage $stage --log-to-stdout \\
    --config-cache /run/ignition.json --state-file /run/ignition/state --neednet /run/ignition/neednet
done`;
    return run('unshare', ['--mount', '--propagation', 'private', 'bash', '--norc', '-euc', script], {
      input: config,
      timeoutMs: 600_000,
      env: { PATH: process.env.PATH, ROOT: root, SCRATCH: scratch, ENGINE: engine },
    });
  });
}
