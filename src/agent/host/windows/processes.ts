import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { runProgram } from '../common/process/run-program.ts';
import { childProcess } from '../common/system/lazy-modules.ts';
import { isErrno, toHostError } from '../common/system/system-error.ts';
import type { Processes } from '../processes.ts';
import { childEnvironment } from './child-environment.ts';
import { DurablePrograms } from './durable.ts';
import { toWindowsPath } from './paths.ts';
import { terminateTree } from './terminate-tree.ts';

/** Programs of a Windows machine. Below a root none can be started: Windows has no chroot. */
export function createProcesses(root: string): Processes {
  const durable = new DurablePrograms(root);
  return {
    run: async (spec) => {
      if (root !== '/') return notBelow(spec.argv[0]);
      const start = { argv: spec.argv, env: childEnvironment(spec.env), isLeader: false, end: terminateTree };
      return runProgram(start, spec);
    },
    findDurable: async (name) => durable.find(name),
    startDurable: (spec) => durable.start(spec),
    runDurable: async (spec) => (await durable.start(spec)).result,
    forgetDurable: async (name) => durable.forget(name),
    isAlive,

    nameSelf(name) {
      // The title of the console, where there is one.
      process.title = name;
    },

    async replace(argv, env) {
      process.exit(attached(argv, env));
    },

    attached: async (argv, env) => attached(argv, env),

    async which(name, accept = async () => true) {
      const file = win32.extname(name) === '' ? `${name}.exe` : name;
      for (const folder of (process.env.PATH ?? '').split(';')) {
        // Nothing is taken from the working folder.
        if (!win32.isAbsolute(folder)) continue;
        const path = win32.join(folder, file);
        if (statSync(toWindowsPath(root, path), { throwIfNoEntry: false })?.isFile() && (await accept(path)))
          return path;
      }
      return undefined;
    },
  };
}

function attached(
  [file, ...args]: [string, ...string[]],
  env: Record<string, string | undefined> | undefined,
): number {
  const { status, error } = childProcess().spawnSync(file, args, {
    env: childEnvironment(env),
    stdio: 'inherit',
  });
  if (error) throw toHostError(error, 'starting', file);
  return status ?? 1;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, 'EPERM');
  }
}

const notBelow = (program: string) => ({
  exitStatus: 127,
  stdout: '',
  stderr: `${program}: programs are not started below another root on Windows\n`,
  timedOut: false,
  ms: 0,
});
