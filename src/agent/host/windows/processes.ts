import { closeSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { win32 } from 'node:path';
import { RUN_DIR } from '../../document/paths.ts';
import { followRun, runProgram, statusIn, textIn } from '../common/process/run-program.ts';
import { elapsedMs } from '../common/system/clock.ts';
import { childProcess } from '../common/system/lazy-modules.ts';
import { isErrno, toHostError } from '../common/system/system-error.ts';
import { HostError } from '../host.ts';
import type { DurableHandle, DurableSpec, Processes } from '../processes.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { childEnvironment } from './child-environment.ts';
import { makeFolder } from './files.ts';
import { systemProgram, toWindowsPath } from './paths.ts';

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

/**
 * Programs whose end an agent that is started again has to know of; files: C:\run\slipway\exec\NAME. On Windows they do not outlive the
 * agent: libuv puts what it starts into a job that ends with it. So a run is `running` only for who began it, `ended`
 * when its status lies there, and `vanished` otherwise.
 */
class DurablePrograms {
  readonly #root: string;
  readonly #running = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  find(name: string): 'running' | 'ended' | 'vanished' | undefined {
    if (this.#running.has(name)) return 'running';
    if (statusIn(this.#dir(name)) !== undefined) return 'ended';
    return textIn(this.#dir(name), 'pid') === undefined ? undefined : 'vanished';
  }

  forget(name: string): void {
    rmSync(this.#dir(name), { recursive: true, force: true, maxRetries: 5 });
  }

  async start(spec: DurableSpec): Promise<DurableHandle> {
    const started = elapsedMs();
    const dir = this.#dir(spec.name);
    const adopted = this.find(spec.name) === 'ended';
    const ended = adopted ? Promise.resolve() : this.#start(dir, spec);
    return followRun({ dir, adopted, ended, started }, spec);
  }

  /** Resolves at the program's end, when its status is on disk. */
  #start(dir: string, spec: DurableSpec): Promise<void> {
    this.forget(spec.name);
    makeFolder(dir);
    const [stdout, stderr] = ['stdout', 'stderr'].map((name) => openSync(win32.join(dir, name), 'a')) as [
      number,
      number,
    ];
    const [file, ...args] = spec.argv;
    const child = childProcess().spawn(file, args, {
      env: childEnvironment(spec.env),
      stdio: ['ignore', stdout, stderr],
      windowsHide: true,
    });
    for (const fd of [stdout, stderr]) closeSync(fd);
    const stop = () => {
      if (child.pid !== undefined) terminateTree(child.pid);
    };
    writeFileSync(win32.join(dir, 'pid'), String(child.pid ?? ''));
    this.#running.add(spec.name);
    spec.signal?.addEventListener('abort', stop);
    if (spec.signal?.aborted) stop();
    return new Promise<void>((resolve, reject) => {
      const over = () => {
        this.#running.delete(spec.name);
        spec.signal?.removeEventListener('abort', stop);
      };
      child.on('exit', (status) => {
        over();
        writeFileAtomically({
          path: win32.join(dir, 'status'),
          content: Buffer.from(`${status ?? 1}\n`),
          ...{ isPrivate: false, volatile: true },
        });
        resolve();
      });
      child.on('error', (error) => {
        over();
        reject(new HostError(`starting ${file}: ${error.message}`, 'ENOEXEC'));
      });
    });
  }

  #dir(name: string): string {
    return toWindowsPath(this.#root, `${RUN_DIR}/exec/${name}`);
  }
}

/**
 * Ends a program and all that it has started. Windows knows no polite way for a program without a window. Where taskkill
 * cannot, the program alone is ended.
 */
function terminateTree(pid: number): void {
  const killer = childProcess().spawn(systemProgram('taskkill.exe'), ['/PID', String(pid), '/T', '/F'], {
    stdio: 'ignore',
    windowsHide: true,
  });
  killer.on('error', () => endOne(pid));
  killer.on('exit', (status) => {
    if (status !== 0) endOne(pid);
  });
}

function endOne(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!isErrno(error, 'ESRCH', 'EPERM')) throw error;
  }
}
