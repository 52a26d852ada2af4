import assert from 'node:assert/strict';
import { join } from 'node:path';
import { withScratchRoot } from '../../lab/lab.ts';
import { withLoopDisks } from '../../support/loop-disk.ts';

const CHECKOUT = join(import.meta.dirname, '../../..');

/** A real vfat volume with the label of NoCloud; the seed gets onto it only where the kernel can mount vfat. */
const SCRIPT = `
mkfs.vfat -n CIDATA "$DISK" >/dev/null
if mount -t vfat "$DISK" /mnt 2>/dev/null; then
  printf 'instance-id: i-volume\\n' >/mnt/meta-data
  printf '#cloud-config\\nwrite_files: [{path: /data/volume, content: found}]\\n' >/mnt/user-data
  umount /mnt
  echo mountable
fi
status=0
/checkout/node_modules/.bin/node /checkout/src/slipway.ts bootstrap >&2 || status=$?
echo "status $status"
if [ -e /data/volume ]; then cat /data/volume; fi
echo "left: $(find /run/slipway -name 'seed-*') $(grep -c "$DISK" /proc/mounts)"
`;

/**
 * A labelled volume is found by blkid and read, or it is said why it cannot be; either way nothing of it stays mounted.
 * Answers what could be shown on this kernel.
 */
export function labelledVolume(lower: string[]): Promise<string> {
  return withLoopDisks([8], ([disk = '']) =>
    withScratchRoot(lower, async (root) => {
      const { code, stdout, stderr } = await root.run(SCRIPT, {
        env: { DISK: disk },
        binds: [{ from: CHECKOUT, to: '/checkout', readOnly: true }],
        timeoutMs: 120_000,
      });
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
