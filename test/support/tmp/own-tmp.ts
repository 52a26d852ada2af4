import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Vitest calls it before all tests. They share a folder for temporary files that is theirs alone.
 * @returns what takes it away again. @throws Error that names what tests have left there
 */
export default function setUp(): () => void {
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), 'slipway-tests-'));
  // Some tests look at their files as nobody.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    const left = readdirSync(folder).filter((name) => !isNodes(name));
    rmSync(folder, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`tests left files behind in TMPDIR: ${left.join(', ')}`);
  };
}

/** Vitest and Node.js keep caches there. */
function isNodes(name: string): boolean {
  return name.startsWith('node-') || name.startsWith('vitest');
}
