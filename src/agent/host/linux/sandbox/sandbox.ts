import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { errorMessage } from '../../../../kit/errors.ts';
import { runProgram } from '../../common/process/run-program.ts';
import { HostError } from '../../host.ts';
import type { CommandResult, CommandSpec, Processes } from '../../processes.ts';
import { DEFAULT_PATH } from '../process/child-environment.ts';
import { createProcesses } from '../process/processes.ts';
import { killGroup, terminateGroup } from '../process/terminate-group.ts';
import { planMounts } from './mounts.ts';
import { SETUP_FAILED, SETUP_FAILED_WORDS, SETUP_SCRIPT } from './setup-script.ts';

const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--net', '--ipc', '--uts'];
const NOT_FOUND = 127;
const TRY_MS = 20_000;
/** On a busy machine; a program's own time begins behind it. */
const SETUP_MS = 2000;
/** chroot says so where the root's program is for another processor, or is no program. */
const NOT_EXECUTABLE = 126;

/**
 * Programs of a root that nobody vouches for. Each runs in namespaces of its own, in which it sees the root's files and nothing
 * else of the host (setup-script.ts). Where these cannot be made none is started, and `refusal` says why.
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
