import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder for the test that runs or is about to. It goes when the test has ended and all is closed. */
export function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
