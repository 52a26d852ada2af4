import { childProcess } from '../common/system/lazy-modules.ts';
import { childEnvironment } from './child-environment.ts';
import { systemProgram } from './paths.ts';

const PORT = /^\\\\\.\\COM\d+$/;
const LIMIT_MS = 5_000;

/** Is it a serial port? */
export const isSerialPort = (real: string): boolean => PORT.test(real);

/**
 * Writes a line to a serial port, which may wait for ever where nobody reads: a program of its own does it, and is ended then.
 * The line goes as a variable that cmd.exe puts in last, so that nothing in it is a command.
 *
 * @param real as Windows names it
 * @returns how many bytes the port took: all, or 0
 */
export function writeSerialPort(real: string, data: Uint8Array): Promise<number> {
  const line = Buffer.from(data)
    .toString('utf8')
    .replace(/\r?\n$/, '')
    .replace(/[\r\n]+/g, ' ');
  return new Promise((resolve) => {
    const child = childProcess().spawn(
      systemProgram('cmd.exe'),
      ['/d', '/v:on', '/c', `echo !SLIPWAY_LINE!>${real}`],
      {
        env: childEnvironment({ SLIPWAY_LINE: line }),
        ...{ stdio: 'ignore', windowsHide: true, windowsVerbatimArguments: true, timeout: LIMIT_MS },
      },
    );
    child.on('error', () => resolve(0));
    child.on('exit', (status) => resolve(status === 0 ? data.length : 0));
  });
}
