import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Play, Played } from './play.ts';

const PLAY = join(import.meta.dirname, 'play.ts');

/** Plays against the clouds' own addresses, in a network namespace that only this call has. Needs root. */
export function playInNamespace(plays: readonly Play[]): Promise<Played[]> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'unshare',
      ['-n', process.execPath, PLAY],
      { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${error.message}\n${stderr}`));
        else resolve(JSON.parse(stdout) as Played[]);
      },
    );
    child.stdin?.end(JSON.stringify(plays));
  });
}
