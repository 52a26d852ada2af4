import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { win32 } from 'node:path';
import { RUN_DIR } from '../../document/paths.ts';
import { childProcess } from '../common/system/late-modules.ts';
import { systemProgram, toWindows } from './paths.ts';

const PORT = /^\\\\\.\\COM\d+$/;
const LIMIT_MS = 5_000;

/** Is it a serial port? */
export const isPort = (real: string): boolean => PORT.test(real);

/**
 * Writes to a serial port, which may wait for ever where nobody reads: a program of its own does it, and is ended then.
 *
 * @param real as Windows names it
 * @returns how many bytes the port took: all, or 0
 */
export function writePort(root: string, real: string, data: Uint8Array): Promise<number> {
  const file = toWindows(root, `${RUN_DIR}/${real.slice(4)}.${process.pid}`);
  mkdirSync(win32.dirname(file), { recursive: true });
  writeFileSync(file, data);
  return new Promise((resolve) => {
    const words = ['/d', '/c', `type "${file}" >${real}`];
    const how = {
      stdio: 'ignore',
      windowsHide: true,
      windowsVerbatimArguments: true,
      timeout: LIMIT_MS,
    } as const;
    const child = childProcess().spawn(systemProgram('cmd.exe'), words, how);
    const over = (taken: number) => {
      rmSync(file, { force: true, maxRetries: 5 });
      resolve(taken);
    };
    child.on('error', () => over(0));
    child.on('exit', (status) => over(status === 0 ? data.length : 0));
  });
}
