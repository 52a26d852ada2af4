import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../cache/cache.ts';
import { type Finished, LabError, lastLines, run } from '../process/command.ts';
import { alive, self } from '../process/process-id.ts';

/** A script to run as root inside a stack of directories, in namespaces of its own. */
export interface InRoot {
  /** Lower directories, uppermost first. */
  lower: readonly string[];
  /** Runs by `sh -ec`. */
  script: string;
  /** Where changes are kept; without it they are thrown away. Must lie in the cache (same file system as scratch). */
  upper?: string;
  /** Host directories made visible inside, writable unless said otherwise. */
  binds?: readonly { from: string; to: string; readOnly?: boolean }[];
  /** A directory to be /run, so that what is written there stays; default: an empty one that is thrown away. */
  runDir?: string;
  /** true: the host's network and its resolver; default: an empty network namespace. */
  network?: boolean;
  env?: Record<string, string>;
  input?: string | Uint8Array;
  timeoutMs?: number;
  onOutput?: (text: string) => void;
}

const SCRATCH = 'scratch';

/** Before `unshare --kill-child`: the kernel kills it, and so everything in its PID namespace, when this process dies. */
export const DIES_WITH_US = ['setpriv', '--pdeathsig', 'KILL'] as const;

/** Variables by which apt and Go reach a proxy or their module source: a build inside a root needs the same way out. */
const NETWORK_VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

/** Run a script inside a root; whatever it started ends with it, and no mount is ever seen by the host. */
export async function inRoot(job: InRoot): Promise<Finished> {
  return withScratchDir(async (dir) => {
    const upper = job.upper ?? join(dir, 'upper');
    const mounts = join(dir, 'mounts');
    for (const sub of [upper, join(dir, 'work'), mounts]) await mkdir(sub, { recursive: true, mode: 0o755 });
    const inherited = Object.fromEntries(
      (job.network ? NETWORK_VARIABLES : []).flatMap((name) =>
        process.env[name] ? [[name, process.env[name]]] : [],
      ),
    );
    const inside = {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: '/root',
      LANG: 'C.UTF-8',
      ...inherited,
      ...job.env,
    };
    const bindLines = (job.binds ?? []).map(
      (bind) => `${bind.from}\t${bind.to}\t${bind.readOnly ? 'ro' : 'rw'}`,
    );
    return run(
      DIES_WITH_US[0],
      [
        ...DIES_WITH_US.slice(1),
        'unshare',
        ...(job.network ? [] : ['--net']),
        ...['--mount', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--propagation', 'private'],
        ...['bash', '--norc', '-euc', ENTER, 'in-root'],
        ...Object.entries(inside).map(([key, value]) => `${key}=${value}`),
        ...['sh', '-ec', job.script],
      ],
      {
        env: {
          PATH: process.env.PATH,
          LAB_ROOT: mounts,
          LAB_OVERLAY: `lowerdir=${job.lower.join(':')},upperdir=${upper},workdir=${join(dir, 'work')}`,
          LAB_BINDS: bindLines.join('\n'),
          LAB_RUN: job.runDir ?? '',
          LAB_NETWORK: job.network ? 'host' : 'none',
        },
        ...(job.input === undefined ? {} : { input: job.input }),
        ...(job.timeoutMs === undefined ? {} : { timeoutMs: job.timeoutMs }),
        ...(job.onOutput === undefined ? {} : { onOutput: job.onOutput }),
      },
    );
  });
}

/** `inRoot` that throws when the script fails, quoting what it last said. */
export async function inRootOk(job: InRoot & { what: string }): Promise<string> {
  const done = await inRoot(job);
  if (done.code === 0) return done.stdout;
  throw new LabError(
    `${job.what} failed (${done.signal ?? `exit status ${done.code}`}):\n${lastLines(done.stdout + done.stderr, 20)}`,
  );
}

const ENTER = `
R=$LAB_ROOT
mount -t overlay overlay -o "$LAB_OVERLAY" "$R"
mount -t proc proc "$R/proc"
mount -t sysfs -o ro sysfs "$R/sys"
if [ -n "$LAB_RUN" ]; then mount --bind "$LAB_RUN" "$R/run"; else mount -t tmpfs tmpfs "$R/run"; fi
mount -t tmpfs tmpfs "$R/tmp"
mount --rbind /dev "$R/dev"
hostname lab-root
if [ "$LAB_NETWORK" = host ]; then
  for file in /etc/resolv.conf /etc/hosts; do
    [ -e "$R$file" ] || : > "$R$file"
    mount --bind "$file" "$R$file"
  done
else
  ip link set lo up
fi
while IFS=$'\\t' read -r from to mode; do
  [ -n "$from" ] || continue
  mkdir -p "$R$to"; mount --bind "$from" "$R$to"; [ "$mode" = rw ] || mount -o remount,bind,ro "$R$to"
done <<< "$LAB_BINDS"
# Not only a chroot: the kernel makes no user namespace in one.
cd "$R"
mount --move "$R" /
exec chroot . /usr/bin/env -i "$@"
`;

let scratchCount = 0;

/** A directory in the cache for the time of `use`; one left by a killed process is removed by `sweepScratch`. */
export async function withScratchDir<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const me = self();
  scratchCount += 1;
  const dir = join(cacheDir(), SCRATCH, `${me.pid}-${me.start}-${scratchCount}`);
  await mkdir(dir, { recursive: true, mode: 0o755 });
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  }
}

/** Remove the scratch directories whose maker is dead. */
export async function sweepScratch(): Promise<void> {
  const base = join(cacheDir(), SCRATCH);
  await mkdir(base, { recursive: true, mode: 0o755 });
  for (const name of await readdir(base)) {
    const [pid = 0, start = 0] = name.split('-').map(Number);
    if (!alive({ pid, start }))
      await rm(join(base, name), { recursive: true, force: true, maxRetries: 30, retryDelay: 100 });
  }
}
