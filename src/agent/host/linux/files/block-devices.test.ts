import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HostError } from '../../host.ts';
import { createBlockDevices } from './block-devices.ts';

const devices = createBlockDevices('/');
const names = readdirSync('/sys/block').filter((name) => !name.includes('!'));

describe('find', () => {
  it('knows what is no block device', async () => {
    for (const path of ['/dev/null', '/dev/no-such-device', '/etc', '/proc/self/mounts']) {
      expect(await devices.find(path)).toBeUndefined();
    }
  });

  it('describes every disk of this machine as the kernel does', async () => {
    for (const name of names) {
      const found = await devices.find(`/dev/${name}`);
      // A container may have the kernel's list and none of the nodes.
      if (!found) continue;
      const size = Number(readFileSync(`/sys/block/${name}/size`, 'utf8'));
      expect(found).toMatchObject({ path: `/dev/${name}`, kind: 'disk', bytes: size * 512 });
      expect([512, 2048, 4096]).toContain(found.sectorBytes);
      for (const { path, number } of found.partitions) {
        expect(path).toMatch(new RegExp(`^/dev/${name}p?${number}$`));
      }
    }
  });
});

/** A container may be kept from opening its host's disks at all. */
function isInUseOrForbidden(path: string): Promise<boolean> {
  return devices.isInUse(path).catch((error: unknown) => {
    if (error instanceof HostError && error.errno === 'EPERM') return true;
    throw error;
  });
}

describe.runIf(process.getuid?.() === 0)('isInUse (only root may look)', () => {
  it('is true for what is mounted', async () => {
    const mounted = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .map((line) => / - \S+ (\/dev\/\S+)/.exec(line)?.[1])
      .filter((path) => path !== undefined);
    for (const path of new Set(mounted)) {
      if (await devices.find(path)) expect(await isInUseOrForbidden(path)).toBe(true);
    }
  });

  it('tells of a device that is not there', async () => {
    await expect(devices.isInUse('/dev/no-such-device')).rejects.toThrow(
      /opening \/dev\/no-such-device: no such file/,
    );
  });
});

describe('read', () => {
  it('reads no pipe, no socket and no character device', async () => {
    await expect(devices.read('/dev/null', 0, 16)).rejects.toThrow(/not a block device/);
    await expect(devices.read('/dev/no-such-device', 0, 16)).rejects.toMatchObject({ errno: 'ENOENT' });
  });
});
