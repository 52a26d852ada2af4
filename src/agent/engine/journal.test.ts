import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { JOURNAL } from '../document/paths.ts';
import type { Host } from '../host/host.ts';
import { createLinuxHost } from '../host/linux/host.ts';
import { Journal } from './journal.ts';

describe('a journal without a whole record', () => {
  let root: string;
  let host: Host;
  beforeEach(() => {
    root = scratch();
    host = createLinuxHost({ root });
  });

  it.each([
    ['its first byte', '{', 0],
    ['half of its first record', '{"v":1,"seq":1,"time":"2026-11-22T02:0', 0],
    ['a record and blocks that were never written', '{"v":1,"seq":1,"time":"20\0\0\0\0', 0],
    ['blocks that were never written', '\0'.repeat(64), 0],
    ['nothing', '', 0],
    ['what another program wrote', '{"settings": true, "seq', 23],
    ['what another program wrote behind many blocks of zeros', `${'\0'.repeat(2_000_000)}x`, 2_000_001],
    ['noise', '{\u0001\u0002\u0003', 4],
  ])('%s', async (_, text, lost) => {
    await host.files.write(JOURNAL, text);
    const journal = await Journal.open(host);
    expect(journal.lostBytes).toBe(lost);
    await journal.append({ type: 'heartbeat', step: 'a' });
    await journal.close();
    const again = await Journal.open(host);
    expect(again.records.at(-1)?.type).toBe('heartbeat');
    expect(again.lostBytes).toBe(0);
    await again.close();
  });
});
