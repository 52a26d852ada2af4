import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gatherFacts } from '../../facts/gather.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { factsText } from './facts-text.ts';

it('leaves out where a fact is from on a terminal that has no room for it, and nothing else', async () => {
  const root = mkdtempSync(join(tmpdir(), 'slipway-facts-text-'));
  try {
    mkdirSync(join(root, 'etc'));
    writeFileSync(join(root, 'etc/os-release'), 'PRETTY_NAME="Some Linux 12"\n');
    const facts = await gatherFacts(createLinuxHost({ root }));
    expect(factsText(facts)).toMatch(/^Operating system {2}Some Linux 12 {2}\/etc\/os-release$/m);
    expect(factsText(facts, 40)).toMatch(/^Operating system {2}Some Linux 12$/m);
  } finally {
    rmSync(root, { recursive: true });
  }
});
