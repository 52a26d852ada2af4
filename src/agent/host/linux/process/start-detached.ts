import { getSystemErrorMessage } from 'node:util';
import { childProcess } from '../../common/system/late-modules.ts';
import { HostError } from '../../host.ts';

/**
 * The version of Node.js whose own handle for processes was tried. Nobody promises that its arguments stay as they are, and it
 * ends the agent where one is wrong: look at the call of `_handle.spawn` in its `internal/child_process` before this is changed.
 */
export const TRIED = 'v24.21.0';
/** `kProcessFlagDetached`: a session and a group of its own. */
const DETACHED = 1;
const NOTHING = [{ type: 'ignore' }, { type: 'ignore' }, { type: 'ignore' }];

interface ProcessHandle {
  readonly pid: number;
  onexit: () => void;
  /** @returns 0, or a negative number of an error of the system */
  spawn(
    file: string,
    args: readonly string[],
    cwd: undefined,
    env: readonly string[],
    stdio: readonly object[],
    flags: number,
    uid: undefined,
    gid: undefined,
  ): number;
  close(): void;
}

interface Detached {
  /** Undefined where it could not be started; `ended` says why. */
  pid: number | undefined;
  /** Resolves at its end. @throws HostError where it could not be started */
  ended: Promise<void>;
}

/**
 * Starts a program in a session of its own, without input or output. As node:child_process does, which loads what its pipes and sockets need:
 * 4 of the 90 ms that a small bootstrap takes (docs/decisions/speed.md). So Node.js's handle behind it is asked directly,
 * where it is the one that was tried.
 *
 * @param file absolute path
 * @param args without the program's name
 */
export function startDetached(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Detached {
  const pairs = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${value}`,
  );
  // The system's call would take what is before it for the whole.
  if ([file, ...args, ...pairs].some((text) => text.includes('\0')))
    return notStarted('a NUL in its arguments');
  return process.version === TRIED ? byHandle(file, args, pairs) : byModule(file, args, env);
}

/** By Node.js's own handle. */
export function byHandle(file: string, args: readonly string[], pairs: readonly string[]): Detached {
  const { binding } = process as unknown as { binding(name: string): { Process: new () => ProcessHandle } };
  const handle = new (binding('process_wrap').Process)();
  const { promise, resolve } = Promise.withResolvers<void>();
  handle.onexit = () => {
    handle.close();
    resolve();
  };
  const status = handle.spawn(
    file,
    [file, ...args],
    undefined,
    pairs,
    NOTHING,
    DETACHED,
    undefined,
    undefined,
  );
  if (status === 0) return { pid: handle.pid, ended: promise };
  handle.close();
  return notStarted(getSystemErrorMessage(status));
}

/** By node:child_process. */
export function byModule(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Detached {
  const child = childProcess().spawn(file, args, { env, detached: true, stdio: 'ignore' });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('exit', () => resolve());
    child.on('error', (error) => reject(new HostError(error.message, 'ENOEXEC')));
  });
  return { pid: child.pid, ended };
}

function notStarted(why: string): Detached {
  return { pid: undefined, ended: Promise.reject(new HostError(why, 'ENOEXEC')) };
}
