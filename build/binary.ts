import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundle } from './bundle.ts';
import { pack } from './pack.ts';
import { binaryPath, bundlePath, nodeBinary } from './project.ts';
import { stripBinary } from './strip.ts';

/**
 * Builds bundle and binary into `dist/`. Both appear by rename, and only after the new binary has run: whoever uses
 * the old one meanwhile keeps it, and a failed build leaves it.
 *
 * @returns what the new binary says of itself.
 */
export async function buildBinary(): Promise<string> {
  mkdirSync(dirname(binaryPath), { recursive: true });
  const scratch = mkdtempSync(join(dirname(binaryPath), '.build-'));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const script = join(scratch, 'slipway.cjs');
    const node = join(scratch, 'node');
    const output = join(scratch, 'slipway');
    writeFileSync(script, (await bundle()).code);
    stripBinary(nodeBinary(), node);
    await pack({ bundle: script, node, output });
    const answer = execFileSync(output, ['version'], { encoding: 'utf8', timeout: 30_000 }).trim();
    renameSync(script, bundlePath);
    renameSync(output, binaryPath);
    return answer;
  } finally {
    remove();
    process.off('exit', remove);
  }
}
