import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scratch } from '../../../test/support/tmp/scratch.ts';
import { networkCommand } from './network.ts';

const SEED = 'var/lib/cloud/seed/nocloud';
const CONFIG = 'version: 2\nethernets:\n  card0: {addresses: [198.51.100.7/24]}\n';

describe.runIf(process.getuid?.() === 0)('slipway network (needs root for owners)', () => {
  let root: string;
  let told: string;
  beforeEach(() => {
    root = scratch();
    told = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told += String(text);
      return true;
    });
    put('usr/lib/systemd/systemd-networkd', '');
    put(`${SEED}/user-data`, '#cloud-config\n');
    put(`${SEED}/meta-data`, 'instance-id: i-1\n');
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const written = () => {
    try {
      return readdirSync(join(root, 'etc/systemd/network'));
    } catch {
      return [];
    }
  };

  it('writes what a seed says, and finds it there the next time', async () => {
    put(`${SEED}/network-config`, CONFIG);
    expect(await networkCommand({ root })).toBe(0);
    expect(written()).toEqual(['10-slipway-card0.network']);
    const path = join(root, 'etc/systemd/network/10-slipway-card0.network');
    expect(readFileSync(path, 'utf8')).toContain('Address=198.51.100.7/24');
    expect(told).toContain('written for networkd: card0 198.51.100.7/24');
    expect(await networkCommand({ root })).toBe(0);
    expect(told).toContain('as it was');
  });

  it('of a seed whose rest lies on a server takes what the machine has, and asks nobody', async () => {
    put(`${SEED}/meta-data`, 'seedfrom: http://198.51.100.1/\n');
    put(`${SEED}/network-config`, CONFIG);
    expect(await networkCommand({ root })).toBe(0);
    expect(written()).toEqual(['10-slipway-card0.network']);
  });

  it.each([
    ['nothing says anything', undefined, 0, 'it stays as it is'],
    ['it is wrong', 'version: 2\nethernets: {card0: {addresses: [nonsense]}}\n', 2, 'line 2, column 33'],
  ])('leaves the network where %s', async (_, config, status, words) => {
    if (config !== undefined) put(`${SEED}/network-config`, config);
    expect(await networkCommand({ root })).toBe(status);
    expect(written()).toEqual([]);
    expect(told).toContain(words);
  });

  it('says that the image has nothing for it', async () => {
    put(`${SEED}/network-config`, CONFIG);
    rmSync(join(root, 'usr/lib'), { recursive: true });
    expect(await networkCommand({ root })).toBe(1);
    expect(told).toContain('nothing that sets up its network');
  });
});
