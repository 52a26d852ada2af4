import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root as checkout } from '../../../build/project.ts';
import { inRoot, machineLayers, withScratchDir } from '../../lab/lab.ts';
import { expectJoined, type Imaged } from '../packer/joined.ts';

/** How a package gets into the image of a machine: lines of shell; `$IMAGE` is the package. */
const WAYS = {
  deb: { put: 'dpkg -i "$IMAGE"; slipway install --shim', mode: 'shim' },
  // Debian's packages, which it needs, are in another database.
  rpm: {
    put: 'rpm --dbpath /tmp/rpm --initdb; rpm --dbpath /tmp/rpm -i --nodeps "$IMAGE"',
    mode: 'bootstrap',
  },
  // A machine of namespaces has no loop devices: what is in the extension is merged as a folder.
  sysext: {
    put: `mkdir -p /var/lib/extensions
unsquashfs -q -n -d /var/lib/extensions/slipway "$IMAGE"
install -D -m 644 -t /etc/systemd/system/systemd-sysext.service.d /checkout/images/sysext/10-reload.conf
systemctl enable systemd-sysext.service`,
    mode: 'bootstrap',
  },
} as const;

/**
 * Machines whose image has Slipway from the .deb, the .rpm or the system extension join.
 *
 * @param packages their paths
 * @param tools a layer with the programs that packages are put in place by
 */
export async function expectBooted(
  packages: Readonly<Record<keyof typeof WAYS, string>>,
  tools: string,
  say: (line: string) => void,
): Promise<void> {
  const image = await machineLayers(true, say);
  await withScratchDir(async (scratch) => {
    const machines: Record<string, Imaged> = {};
    for (const [name, { put, mode }] of Object.entries(WAYS)) {
      const path = packages[name as keyof typeof WAYS];
      const upper = join(scratch, name);
      mkdirSync(upper);
      const { code, stdout, stderr } = await inRoot({
        // The tools lie over the machine's image while it is changed, and are not in the machine.
        lower: [tools, ...image],
        upper,
        binds: [
          { from: checkout, to: '/checkout', readOnly: true },
          { from: dirname(path), to: '/packed', readOnly: true },
        ],
        script: `IMAGE=$(echo /packed/*)\n${put}`,
        timeoutMs: 600_000,
      });
      assert.equal(code, 0, `${name}: ${stdout}\n${stderr}`);
      machines[name] = { over: [upper], mode };
    }
    await expectJoined(machines, say);
  });
}
