import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withScratchRoot } from '../../lab/lab.ts';
import { withLoopDisks } from '../../support/loop-disk.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');

/** A labelled volume is found and read, and nothing of it stays mounted. */
export function labelledVolume(lower: string[]): Promise<string> {
  return withLoopDisks([8], ([disk = '']) =>
    withScratchRoot(lower, async (root) => {
      const { code, stdout, stderr } = await root.run(
        readFileSync(join(import.meta.dirname, 'volume.sh'), 'utf8'),
        {
          env: { DISK: disk },
          binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
          timeoutMs: 600_000,
        },
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /left: {2}0\n$/, 'the volume was mounted, or a directory for it stayed');
      // The seed is found and read: it is its content that makes no node.
      assert.match(stdout, /status 2\n/, stderr);
      assert.match(stderr, /UserDataMakesNoNode/, stderr);
      return 'a volume labelled CIDATA is found and read, without mounting it';
    }),
  );
}
