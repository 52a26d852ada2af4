import { posix } from 'node:path';
import { RUN_DIR } from '../../../document/paths.ts';
import { type Host, HostError } from '../../../host/host.ts';
import { directoryTree, type Tree } from '../contract/tree.ts';
import type { Machine } from '../machine/machine.ts';

/** Time limit for each small tool; a broken optical drive can block for minutes. */
const TOOL_TIMEOUT_MS = 20_000;

/** Reads what a source looks for among a volume's files; undefined if it is not there. */
export type ReadTree<T> = (tree: Tree) => Promise<T | undefined>;

/**
 * Looks for something on the volumes with one of these labels (iso9660, vfat or udf). Unless a volume is mounted
 * already, it is mounted read-only at a private place during the read.
 *
 * @throws HostError if such a volume is there but cannot be mounted or read. To report "no user data" instead
 * would mislead whoever looks for the cause.
 */
export async function readLabelledVolume<T>(
  { host }: Machine,
  labels: readonly string[],
  read: ReadTree<T>,
): Promise<{ device: string; found: T } | undefined> {
  let failure: HostError | undefined;
  for (const device of await labelledDevices(host, labels)) {
    try {
      const found = await readDevice(host, device, read);
      if (found !== undefined) return { device, found };
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/** udev's links if there are any, else the devices that blkid finds. */
async function labelledDevices(host: Host, labels: readonly string[]): Promise<string[]> {
  const directory = '/dev/disk/by-label';
  const names = (await host.files.list(directory)).filter((name) => labels.includes(name));
  const linked = await Promise.all(
    names.map(async (name) => posix.resolve(directory, await host.files.readlink(`${directory}/${name}`))),
  );
  return linked.length > 0 ? linked.sort().reverse() : probedDevices(host, labels);
}

async function probedDevices(host: Host, labels: readonly string[]): Promise<string[]> {
  if ((await host.processes.which('blkid')) === undefined) return [];
  const devices = new Set<string>();
  for (const label of labels) {
    const argv: [string, ...string[]] = ['blkid', '-c', '/dev/null', '-t', `LABEL=${label}`, '-o', 'device'];
    const { exitStatus, stdout } = await host.processes.run({ argv, timeoutMs: TOOL_TIMEOUT_MS });
    // 2: no volume has the label.
    if (exitStatus === 0)
      for (const line of stdout.split('\n')) if (line.trim() !== '') devices.add(line.trim());
  }
  return [...devices].sort().reverse();
}

async function readDevice<T>(host: Host, device: string, read: ReadTree<T>): Promise<T | undefined> {
  const mounted = await mountPoint(host, device);
  if (mounted !== undefined) return read({ ...directoryTree(host.files, mounted), place: device });
  const directory = `${RUN_DIR}/seed-${host.uuid()}`;
  await host.files.mkdir(directory, 0o700);
  try {
    await mount(host, device, directory);
    try {
      return await read({ ...directoryTree(host.files, directory), place: device });
    } finally {
      await unmount(host, directory);
    }
  } finally {
    await removeEmpty(host, directory);
  }
}

async function mount(host: Host, device: string, directory: string): Promise<void> {
  const reasons: string[] = [];
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
    `cannot mount the seed volume ${device} read-only: ${reasons.join('; ')}`,
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

async function mountPoint(host: Host, device: string): Promise<string | undefined> {
  const table = (await host.files.readIfPresent('/proc/self/mounts'))?.toString('utf8') ?? '';
  const line = table.split('\n').find((each) => each.split(' ')[0] === device);
  return line
    ?.split(' ')[1]
    ?.replace(/\\([0-7]{3})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}
