import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withScratchRoot } from '../../lab/lab.ts';
import { withLoopDisks } from '../../support/loop-disk.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');

/**
 * A labelled volume is found by blkid and read, or it is said why it cannot be; either way nothing of it stays mounted.
 * Answers what could be shown on this kernel.
 */
export function labelledVolume(lower: string[]): Promise<string> {
  return withLoopDisks([8], ([disk = '']) =>
    withScratchRoot(lower, async (root) => {
      const { code, stdout, stderr } = await root.run(
        readFileSync(join(import.meta.dirname, 'volume.sh'), 'utf8'),
        {
          env: { DISK: disk },
          binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
          timeoutMs: 120_000,
        },
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /left: {2}0\n$/, 'the volume stayed mounted, or its directory stayed');
      if (stdout.startsWith('mountable')) {
        assert.match(stdout, /status 0\nfound/, stderr);
        return 'a volume labelled CIDATA is found, read and let go';
      }
      assert.match(stdout, /status 75\n/, stderr);
      assert.ok(
        stderr.includes(`annot mount the seed volume ${disk} read-only: unknown filesystem type 'iso9660'`),
        stderr,
      );
      return 'a volume labelled CIDATA is found; that this kernel cannot mount vfat is said, and nothing is left behind';
    }),
  );
}
