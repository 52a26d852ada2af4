import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestRelease } from '../../support/release/test-release.ts';
import { expectApplied } from './applied.ts';
import { expectMerged } from './merged.ts';
import { serving } from './served.ts';
import { expectValid } from './valid.ts';

export const about =
  'the Ignition configs that are shipped: valid, applied by real Ignition, merged by systemd-sysext';

export async function run(say: (line: string) => void): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-ignition-files-'));
  try {
    await expectValid(say);
    const { folder } = await makeTestRelease(scratch, say);
    await serving(folder, async (url) => {
      await expectApplied(folder, url, say);
      await expectMerged(folder, url, say);
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
