import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { errorMessage } from '../../../../kit/errors.ts';
import { runProgram } from '../../common/process/run-program.ts';
import { HostError } from '../../host.ts';
import type { CommandResult, CommandSpec, Processes } from '../../processes.ts';
import { DEFAULT_PATH } from '../process/child-environment.ts';
import { killGroup, terminateGroup } from '../process/process-table.ts';
import { createProcesses } from '../process/processes.ts';
import { planMounts } from './mounts.ts';

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--net', '--ipc', '--uts'];
const NOT_FOUND = 127;
const TRY_MS = 20_000;
/** On a busy machine; a program's own time begins behind it. */
const SETUP_MS = 2000;
/** chroot says so where the root's program is for another processor, or is no program. */
const NOT_EXECUTABLE = 126;

/**
 * Programs of a root that nobody vouches for. Each runs in namespaces of its own, in which it sees the root's files and nothing
 * else of the host. Where these cannot be made none is started, and `refusal` says why.
 */
export function createSandboxedProcesses(root: string, mayWrite: boolean): Processes {
  const plain = createProcesses(root);
  const unasked = new Set<string>();
  let tried: Promise<string | undefined> | undefined;
  const refusal = (): Promise<string | undefined> => {
    tried ??= tryOut(root);
    return tried;
  };
  const refused = (spec: CommandSpec, why: string): CommandResult => {
    unasked.add(spec.argv[0]);
    const stderr = `${spec.argv[0]} was not started: ${why}\n`;
    return { exitStatus: SETUP_FAILED, stdout: '', stderr, timedOut: false, ms: 0 };
  };
  const none = async (name: string): Promise<never> => {
    throw new HostError(`starting ${name}: not in an image`, 'EPERM');
  };
  return {
    ...plain,
    async run(spec) {
      const why = await refusal();
      if (why !== undefined) return refused(spec, why);
      const result = await runInSandbox(root, mayWrite, spec);
      const isFailedSetUp =
        result.exitStatus === SETUP_FAILED && result.stderr.trimEnd().endsWith(SETUP_FAILED_WORDS);
      if (isFailedSetUp || result.exitStatus === NOT_EXECUTABLE) unasked.add(spec.argv[0]);
      return result;
    },
    findDurable: async () => undefined,
    startDurable: ({ argv }) => none(argv[0]),
    runDurable: ({ argv }) => none(argv[0]),
    replace: ([file]) => none(file),
    attached: ([file]) => none(file),
    sandbox: { refusal, unasked: () => [...unasked] },
  };
}

/** Sets up what a program of the root would get, and starts none. @returns why that cannot be done */
async function tryOut(root: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can set up the namespaces for them';
  try {
    const { exitStatus, stderr, timedOut } = await runInSandbox(root, false, {
      argv: [''],
      timeoutMs: TRY_MS,
    });
    if (exitStatus === 0) return undefined;
    if (exitStatus === NOT_FOUND)
      return 'the program unshare, which sets up namespaces for them, is not on this machine';
    const said = stderr
      .split('\n')
      .map((line) => line.trim())
      .find((line) => line !== '' && line !== SETUP_FAILED_WORDS);
    const reason = timedOut ? 'it took too long' : (said ?? `exit status ${exitStatus}`);
    return `this machine cannot set up the namespaces for them (${reason})`;
  } catch (error) {
    return `this machine cannot set up the namespaces for them (${errorMessage(error)})`;
  }
}

/** An empty name stands for no program. */
function runInSandbox(root: string, mayWrite: boolean, spec: CommandSpec): Promise<CommandResult> {
  const real = realpathSync(root);
  const text = (name: string) => readFileSync(`/proc/${name}`, 'utf8');
  const mounts = planMounts(
    { mountinfo: text('self/mountinfo'), filesystems: text('filesystems') },
    real,
    mayWrite,
  );
  const argv = [
    'unshare',
    ...NAMESPACES,
    '--',
    '/bin/sh',
    '-c',
    SETUP_SCRIPT,
    'slipway-sandbox',
    real,
    identityMap(text('self/uid_map')),
    ...mounts.flatMap(({ mode, path }) => [mode, path]),
    '--',
    ...(spec.argv[0] === '' ? [] : spec.argv),
  ] as const;
  const start = {
    argv,
    env: { PATH: process.env.PATH || DEFAULT_PATH, ...given(spec.env) },
    isLeader: true,
    withheld: inheritable(),
    // Nothing is lost with a program that only reads.
    end: mayWrite ? terminateGroup : killGroup,
  } as const;
  // A pipe, never /dev/null: who owns a node can change its mode through a descriptor.
  const timeoutMs = spec.timeoutMs && spec.timeoutMs + SETUP_MS;
  return runProgram(start, { ...spec, input: spec.input ?? '', ...(timeoutMs ? { timeoutMs } : {}) });
}

/** The variables of the agent stay with it: they may hold secrets. */
function given(changes: CommandSpec['env'] = {}): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/**
 * The descriptors above 2 that a program would inherit. Node.js keeps the first sixteen to itself, and more only as long as there
 * is no gap; a shell may have opened any.
 */
function inheritable(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && !isClosedOnExec(descriptor));
}

const CLOSE_ON_EXEC = 0o2000000;

function isClosedOnExec(descriptor: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) !== 0;
  } catch {
    // The one by which the folder was read.
    return true;
  }
}

/** Every ID that this process knows stands for itself, so that files get the owners that the image means. */
function identityMap(own: string): string {
  return own
    .split('\n')
    .flatMap((line) => {
      const [inside, , count] = line.trim().split(/\s+/);
      return inside === undefined || count === undefined ? [] : [`${inside} ${inside} ${count}\n`];
    })
    .join('');
}

/** The set-up itself failed; chroot and unshare use 1, 125, 126 and 127. */
const SETUP_FAILED = 124;
/** Begins the last line of a set-up that failed. */
const SETUP_FAILED_WORDS = 'slipway: the namespaces could not be set up';

/** What useradd and its like need; each counts in the sandbox's own user namespace only. */
const CAPABILITIES = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'setuid',
  'setgid',
  'sys_chroot',
  'audit_write',
];

/**
 * Runs a program of an untrusted root. `unshare` has just started this shell as process 1 of fresh mount, process, network, IPC
 * and host name namespaces; it uses the host's tools alone until the last line. Arguments: the root's real path, the ID map,
 * mounts as `MODE PATH` (`hide`, or the mount options to keep), `--`, the program and its arguments. With no program it only
 * tries the set-up.
 *
 * What keeps the program in, in this order:
 * - Devices of the image are dead (nodev). It gets five harmless ones, read-only, because the owner of a node could change its
 *   mode, and user 0 in here is user 0 outside.
 * - It runs in a user namespace that owns none of the other namespaces. So it can mount nothing and unmount nothing.
 * - It cannot make further namespaces, in which it could: the limits for its user namespace are zero.
 * - The image is moved over `/`: a chroot that a process walks out of ends there. No /proc and no /sys is left in the mount
 *   namespace. User 0 could write to the settings of the kernel in them.
 * - Of its capabilities only those remain that accounts need, and no program can add to them.
 * - This shell stays process 1: when `unshare` is killed, the kernel ends it and everything in the namespace.
 */
const SETUP_SCRIPT = `
set -eu
trap 'echo "${SETUP_FAILED_WORDS}" >&2; exit ${SETUP_FAILED}' EXIT
root=$1 map=$2
shift 2
ulimit -c 0
mount -t proc -o nosuid,nodev,noexec proc /proc
mount -t tmpfs -o nosuid,noexec,mode=755,size=64k none /sys
mkdir /sys/dev
for node in null zero full random urandom; do
  : >/sys/dev/$node
  mount --bind /dev/$node /sys/dev/$node
  mount -o remount,bind,ro,nosuid,noexec none /sys/dev/$node
done
: >/sys/user
mount --rbind "$root" "$root"
while [ "$1" != -- ]; do
  case $1 in
    hide) mount -t tmpfs -o ro,nosuid,nodev,noexec,size=4k none "$root$2" ;;
    *) mount -o "remount,bind,$1" none "$root$2" ;;
  esac
  shift 2
done
shift
if [ -d "$root/dev" ] && ! [ -L "$root/dev" ]; then
  mount --rbind /sys/dev "$root/dev"
  mount -o remount,bind,ro,nosuid,noexec none "$root/dev"
fi
own=$(readlink /proc/self/ns/user)
unshare --user sleep 60 </dev/null >/dev/null &
holder=$!
while [ "$(readlink /proc/$holder/ns/user)" = "$own" ]; do :; done
printf %s "$map" >/proc/$holder/gid_map
printf %s "$map" >/proc/$holder/uid_map
mount --bind /proc/$holder/ns/user /sys/user
kill -9 $holder
wait $holder 2>/dev/null || :
nsenter --user=/sys/user sh -c 'for limit in /proc/sys/user/max_*_namespaces; do echo 0 >"$limit" || exit 1; done'
cd "$root"
mount --move "$root" /
umount -l /proc
trap - EXIT
set +e
confined() {
  nsenter --user=/sys/user setpriv --no-new-privs --inh-caps=-all \\
    --bounding-set=-all,${CAPABILITIES.map((name) => `+${name}`).join(',')} "$@"
}
if [ $# = 0 ]; then confined true; else confined chroot . "$@"; fi
exit $?
`;
