import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTestRelease } from '../../support/release/test-release.ts';
import { expectRefused } from './faults.ts';
import { expectFetched } from './fetched.ts';
import { expectJoined } from './joined.ts';
import { expectValid } from './schema.ts';

export const about =
  'machines whose image has no Slipway fetch it at first boot, check it, and join with it; or install nothing';

export async function run(say: (line: string) => void): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'slipway-first-boot-'));
  try {
    const release = await makeTestRelease(scratch, say);
    await expectValid(say);
    await expectFetched(release, say);
    await expectRefused(release, say);
    await expectJoined(release, say);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
