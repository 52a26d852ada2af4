import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { OUTCOME } from '../document/paths.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { readOutcome } from './read-outcome.ts';

describe('outcome.json that is none', () => {
  let folder: string;
  beforeEach(() => {
    folder = scratch();
    mkdirSync(dirname(join(folder, OUTCOME)), { recursive: true });
  });

  it.each([
    ['too large', ' '.repeat(1024 * 1024 + 1)],
    ['torn', '{"result":"succeeded"'],
    ['of another program', '{"result":"succeeded","endedAt":"","findings":[]}'],
  ])('%s: the journal tells', async (_, text) => {
    writeFileSync(join(folder, OUTCOME), text);
    expect(await readOutcome(createLinuxHost({ root: folder }))).toBeUndefined();
  });
});
