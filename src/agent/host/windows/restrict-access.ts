import { childProcess } from '../common/system/lazy-modules.ts';
import { systemProgram } from './paths.ts';

/** SYSTEM and the administrators, by their identifiers: their names are translated. */
const [SYSTEM, ADMINISTRATORS] = ['*S-1-5-18', '*S-1-5-32-544'] as const;

const LIMIT_MS = 20_000;

/**
 * Leaves a file or folder to SYSTEM and the administrators; what is made in the folder later inherits that. Node.js's mode
 * bits mean nothing on Windows.
 *
 * @throws Error with icacls' words where it refuses
 */
export function restrictToAdministrators(path: string, kind: 'file' | 'folder'): void {
  const rights = kind === 'folder' ? '(OI)(CI)F' : 'F';
  const words = [
    path,
    '/inheritance:r',
    '/grant:r',
    `${SYSTEM}:${rights}`,
    `${ADMINISTRATORS}:${rights}`,
    '/q',
  ];
  const { status, error, stdout, stderr } = childProcess().spawnSync(systemProgram('icacls.exe'), words, {
    encoding: 'utf8',
    windowsHide: true,
    timeout: LIMIT_MS,
  });
  if (error) throw error;
  if (status !== 0)
    throw Object.assign(new Error(`icacls ended with ${status}: ${(stderr || stdout).trim()}`), {
      code: 'EPERM',
    });
}
