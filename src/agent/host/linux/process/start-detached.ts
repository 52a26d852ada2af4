import { errorMessage } from '../../../../kit/errors.ts';
import { childProcess } from '../../common/system/lazy-modules.ts';
import { HostError } from '../../host.ts';

interface Detached {
  /** Undefined where it could not be started; `ended` says why. */
  readonly pid: number | undefined;
  /** Resolves at its end. @throws HostError where it could not be started */
  readonly ended: Promise<void>;
  /** Ends the program's standard input, which is empty. The kernel does so when this process dies. */
  readonly endInput: () => void;
}

/**
 * Starts a program in a session of its own, without output. Its standard input is a pipe from this process that stays open until `endInput`.
 *
 * @param file absolute path
 * @param args without the program's name
 */
export function startDetached(file: string, args: readonly string[], env: NodeJS.ProcessEnv): Detached {
  try {
    const child = childProcess().spawn(file, args, {
      env,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const ended = new Promise<void>((resolve, reject) => {
      child.on('exit', () => resolve());
      child.on('error', (error) => reject(new HostError(error.message, 'ENOEXEC')));
    });
    return { pid: child.pid, ended, endInput: () => void child.stdin?.destroy() };
  } catch (error) {
    // Node.js refuses a NUL in a word, which the system would take for its end.
    const ended = Promise.reject(new HostError(errorMessage(error), 'ENOEXEC'));
    return { pid: undefined, ended, endInput: () => undefined };
  }
}
