import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openVolume } from './open-volume.ts';
import { entryAt, type ReadAt, type Volume } from './volume.ts';

/** Images of real programs; fixtures/make.sh makes them. */
function image(name: string): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures', `${name}.gz`)));
}

const reading =
  (bytes: Buffer): ReadAt =>
  async (offset, length) =>
    bytes.subarray(offset, offset + length);

async function opened(name: string): Promise<Volume> {
  const volume = await openVolume(reading(image(name)));
  if (volume === undefined) throw new Error(`${name} was not opened`);
  return volume;
}

const read = async ({ root }: Volume, path: string) =>
  (await (await entryAt(root, path))?.content?.())?.toString();
const list = async ({ root }: Volume, path = '') =>
  [...((await (await entryAt(root, path))?.children?.()) ?? new Map()).keys()].sort();
const LONG = `a-name-that-is-much-longer-than-what-one-record-of-a-directory-holds-${'x'.repeat(150)}.txt`;
const NUMBERS = `${Array.from({ length: 2000 }, (_, index) => index + 1).join('\n')}\n`;

describe('seeds', () => {
  test.each([
    ['rock.iso', 'iso9660'],
    ['xorriso.iso', 'iso9660'],
    ['fat12.img', 'vfat'],
    ['fat32.img', 'vfat'],
  ])('%s', async (name, type) => {
    const volume = await opened(name);
    expect(volume.type).toBe(type);
    expect(volume.labels.map((label) => label.toLowerCase())).toContain('cidata');
    expect(await read(volume, 'user-data')).toBe('#cloud-config\n{}\n');
    expect(await read(volume, 'meta-data')).toBe('instance-id: i-1\n');
    expect(await read(volume, 'numbers')).toBe(NUMBERS);
    expect(await read(volume, LONG)).toBe('long');
    expect(await read(volume, 'nothing')).toBe(undefined);
    expect(await read(volume, 'user-data/nothing')).toBe(undefined);
    expect(await list(volume)).toContain(LONG);
  });
});

describe('config drives', () => {
  test.each([
    ['joliet.iso', 'config-2'],
    ['fat16.img', 'RENAMED'],
  ])('%s', async (name, label) => {
    const volume = await opened(name);
    expect(volume.labels).toContain(label);
    expect(await list(volume, 'openstack')).toEqual(['latest']);
    expect(await read(volume, 'openstack/latest/meta_data.json')).toContain('u-1');
    expect(await read(volume, 'openstack/latest/user_data')).toBe('#cloud-config\n{}\n');
  });
});

test('names without extensions are shown as the kernel shows them', async () => {
  const volume = await opened('plain.iso');
  expect(volume.labels).toEqual(['OVFENV']);
  expect(await list(volume)).toEqual(['ovf_env.xml']);
  expect(await read(volume, 'OVF_ENV.XML')).toBe('<Environment/>');
});

test('an image that is both is read as UDF, as the kernel does', async () => {
  const volume = await opened('bridge.iso');
  expect(volume.type).toBe('udf');
  expect(volume.labels).toContain('rd_rdfe_stable');
  expect(await read(volume, 'ovf-env.xml')).toBe('<Environment/>');
});

test('an empty UDF volume of mkudffs', async () => {
  const volume = await opened('udf.img');
  expect(volume.type).toBe('udf');
  expect(volume.labels).toContain('cidata');
  expect(await list(volume)).toEqual([]);
});

test('what is no volume', async () => {
  expect(await openVolume(reading(Buffer.alloc(0)))).toBe(undefined);
  expect(await openVolume(reading(Buffer.alloc(1_000_000, 0xff)))).toBe(undefined);
});

test.each(['rock.iso', 'fat12.img', 'bridge.iso'])(
  '%s that is cut off is an error, not a part of a file',
  async (name) => {
    const whole = image(name);
    for (let length = 0; length < whole.length; length += 16_384) {
      const cut = reading(whole.subarray(0, length));
      try {
        const volume = await openVolume(cut);
        const numbers = volume && ((await read(volume, 'numbers')) ?? (await read(volume, 'ovf-env.xml')));
        expect([undefined, NUMBERS, '<Environment/>']).toContain(numbers);
      } catch (error) {
        expect(error).toMatchObject({ name: 'HostError', errno: 'EIO' });
      }
    }
  },
);
