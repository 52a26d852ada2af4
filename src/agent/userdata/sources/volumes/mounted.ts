import { RUN_DIR } from '../../../document/paths.ts';
import { type Host, HostError } from '../../../host/host.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';

/** Time limit for each small tool; a broken optical drive can block for minutes. */
const TOOL_TIMEOUT_MS = 20_000;

/**
 * Reads files of a volume that the kernel mounts at a private place meanwhile.
 *
 * @param own why our own readers did not read it
 * @throws HostError if it cannot be mounted or unmounted
 */
export async function readMounted<T>(
  host: Host,
  device: string,
  read: (tree: Tree) => Promise<T>,
  own: string,
): Promise<T> {
  const directory = `${RUN_DIR}/seed-${host.uuid()}`;
  await host.files.mkdir(directory, 0o700);
  try {
    await mount(host, device, directory, own);
    try {
      return await read({ ...directoryTree(host.files, directory), place: device });
    } finally {
      await unmount(host, directory);
    }
  } finally {
    await removeEmpty(host, directory);
  }
}

async function mount(host: Host, device: string, directory: string, own: string): Promise<void> {
  const reasons: string[] = [own];
  for (const type of ['iso9660', 'vfat', 'udf']) {
    const argv: [string, ...string[]] = [
      'mount',
      '-t',
      type,
      '-o',
      'ro,nodev,nosuid,noexec',
      device,
      directory,
    ];
    const { exitStatus, stderr, timedOut } = await host.processes.run({ argv, timeoutMs: TOOL_TIMEOUT_MS });
    if (exitStatus === 0) return;
    const said = stderr.trim().split('\n').at(0)?.replace(`mount: ${directory}: `, '').replace(/\.$/, '');
    reasons.push(timedOut ? 'it took too long' : said || `exit status ${exitStatus}`);
  }
  throw new HostError(
    `cannot read the seed volume ${device} or mount it read-only: ${reasons.join('; ')}`,
    'EIO',
    device,
  );
}

/** Unmounts. A busy volume is detached, so that it goes as soon as nobody uses it. */
async function unmount(host: Host, directory: string): Promise<void> {
  const plain = await host.processes.run({ argv: ['umount', directory], timeoutMs: TOOL_TIMEOUT_MS });
  if (plain.exitStatus === 0) return;
  const lazy = await host.processes.run({ argv: ['umount', '-l', directory], timeoutMs: TOOL_TIMEOUT_MS });
  if (lazy.exitStatus === 0) return;
  throw new HostError(
    `cannot unmount the seed volume from ${directory}: ${lazy.stderr.trim()}`,
    'EBUSY',
    directory,
  );
}

/** Removes only an empty directory: if the volume is still mounted there, its files must stay. */
async function removeEmpty(host: Host, directory: string): Promise<void> {
  if ((await host.files.list(directory)).length === 0) await host.files.remove(directory);
}
