import { childProcess } from '../common/system/lazy-modules.ts';
import { isErrno } from '../common/system/system-error.ts';
import { systemProgram } from './paths.ts';

/**
 * Ends a program and all that it has started. Windows knows no polite way for a program without a window. Where taskkill
 * cannot, the program alone is ended.
 */
export function terminateTree(pid: number): void {
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
