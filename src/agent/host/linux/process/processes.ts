import { constants as access, accessSync, statSync, writeFileSync } from 'node:fs';
import { runProgram } from '../../common/process/run-program.ts';
import { childProcess, os } from '../../common/system/lazy-modules.ts';
import { toHostError } from '../../common/system/system-error.ts';
import type { CommandResult, CommandSpec, Processes } from '../../processes.ts';
import { resolveInRoot } from '../files/paths/resolve.ts';
import { canExec } from './can-exec.ts';
import { childEnvironment, DEFAULT_PATH, inRoot } from './child-environment.ts';
import { DurablePrograms } from './durable.ts';
import { identifyProcess, terminateGroup } from './process-table.ts';

/** Runs programs of the Linux machine whose `/` is `root`: for a while, or to outlive this process. */
export function createProcesses(root: string): Processes {
  const durable = new DurablePrograms(root);
  const isExecutable = (path: string): boolean => {
    try {
      const real = resolveInRoot(root, path);
      if (!statSync(real, { throwIfNoEntry: false })?.isFile()) return false;
      accessSync(real, access.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return {
    run: (spec) => runCommand(root, spec),
    findDurable: async (name) => durable.find(name),
    startDurable: (spec) => durable.start(spec),
    runDurable: async (spec) => (await durable.start(spec)).result,
    forgetDurable: async (name) => durable.forget(name),
    isAlive: (pid) => identifyProcess(pid) !== undefined,

    nameSelf(name) {
      // process.title would also overwrite the arguments that ps shows.
      try {
        writeFileSync('/proc/self/comm', name);
      } catch {
        // Without /proc (in a chroot) the name cannot be set; it is for people only.
      }
    },

    async replace(argv, env) {
      const [file, ...args] = inRoot(root, argv);
      const environment = childEnvironment(env);
      if (process.execve && file.startsWith('/') && canExec(file)) {
        // Node.js would print its "experimental" warning in front of the other program's output.
        process.removeAllListeners('warning');
        process.execve(file, [argv[0], ...args], environment as Record<string, string>);
      }
      process.exit(attached(file, args, environment));
    },

    async attached(argv, env) {
      const [file, ...args] = inRoot(root, argv);
      return attached(file, args, childEnvironment(env));
    },

    async which(name, accept = async () => true) {
      for (const directory of (process.env.PATH || DEFAULT_PATH).split(':')) {
        const path = `${directory}/${name}`;
        if (directory.startsWith('/') && isExecutable(path) && (await accept(path))) return path;
      }
      return undefined;
    },
  };
}

function attached(file: string, args: string[], env: NodeJS.ProcessEnv): number {
  const { status, signal, error } = childProcess().spawnSync(file, args, { env, stdio: 'inherit' });
  if (error) throw toHostError(error, 'starting', file);
  return status ?? 128 + (signal ? os().constants.signals[signal] : 0);
}

/** Runs a program to its end in its own process group; see `Processes.run`. */
export function runCommand(root: string, spec: CommandSpec): Promise<CommandResult> {
  const argv = inRoot(root, spec.argv);
  return runProgram({ argv, env: childEnvironment(spec.env), isLeader: true, end: terminateGroup }, spec);
}
