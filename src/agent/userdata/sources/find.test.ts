import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HostError } from '../../host/host.ts';
import { createLinuxHost } from '../../host/linux/host.ts';
import { variablesOf } from '../jinja/variables.ts';
import { findUserData } from './find.ts';
import { parseNoCloudLine } from './nocloud/nocloud-line.ts';

const SEED = '/var/lib/cloud/seed/nocloud';
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slipway-sources-'));
});
afterEach(() => rm(root, { recursive: true }));

async function put(files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

const find = (options = {}) => findUserData(createLinuxHost({ root }), options);

describe('NoCloud', () => {
  test('nothing there', async () => {
    const answer = await find();
    expect(answer.kind).toBe('not-mine');
    expect(answer.kind === 'not-mine' && answer.looked?.join()).toContain('no volume labelled cidata');
  });

  test('a seed directory needs both files', async () => {
    await put({ [`${SEED}/user-data`]: 'x' });
    expect(await find()).toMatchObject({ kind: 'not-mine' });
  });

  test('a seed directory', async () => {
    await put({
      [`${SEED}/user-data`]: '#cloud-config\n',
      [`${SEED}/meta-data`]: 'instance-id: i-1\nlocal-hostname: n1\nnested: {deep-key: [1, 2.5]}\n',
      [`${SEED}/vendor-data`]: 'v',
      '/etc/os-release': 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n',
      '/proc/sys/kernel/osrelease': '6.1.0\n',
    });
    const answer = await find();
    expect(answer).toMatchObject({
      kind: 'found',
      source: `nocloud (${SEED})`,
      metaData: { 'instance-id': 'i-1', 'local-hostname': 'n1', nested: { 'deep-key': [1n, 2.5] } },
      vendorData: Buffer.from('v'),
      system: { distro: 'debian', distroVersion: '12', distroRelease: 'bookworm', kernelRelease: '6.1.0' },
    });
    expect(answer.kind === 'found' && answer.userData.toString()).toBe('#cloud-config\n');
    const variables = answer.kind === 'found' ? variablesOf(answer) : new Map();
    expect(variables.get('distro')).toBe('debian');
    expect(variables.get('cloud_id')).toBe('nocloud');
  });

  test('the second directory counts when there is no first; empty user data is said to be empty', async () => {
    await put({ [`${SEED}-net/user-data`]: '', [`${SEED}-net/meta-data`]: '' });
    expect(await find()).toMatchObject({ kind: 'empty', source: `nocloud (${SEED}-net)` });
  });

  test('broken meta-data is told and passed over', async () => {
    await put({ [`${SEED}/user-data`]: 'x', [`${SEED}/meta-data`]: 'a: b: c' });
    const answer = await find();
    expect(answer).toMatchObject({ kind: 'found', metaData: { 'instance-id': 'nocloud' } });
    expect(answer.kind === 'found' && answer.remarks?.[0]?.message).toContain('meta-data line 1, column 5');
  });

  test('the command line wins over meta-data, and names another directory', async () => {
    await put({
      '/proc/cmdline': 'root=/dev/vda ds=nocloud;h=cmd;s=file:///seed/ quiet\n',
      '/seed/user-data': 'other',
      '/seed/meta-data': 'instance-id: i-2\nlocal-hostname: n2\n',
    });
    expect(await find()).toMatchObject({
      kind: 'found',
      source: 'nocloud (/seed/)',
      userData: Buffer.from('other'),
      metaData: { 'instance-id': 'i-2', 'local-hostname': 'cmd' },
    });
  });

  test('a seed that the image itself holds, and a label of its own', async () => {
    const cfg =
      'datasource:\n  NoCloud:\n    user-data: "#cloud-config"\n    meta-data: {instance-id: i-cfg}\n';
    await put({ '/etc/cloud/cloud.cfg.d/99-own.cfg': cfg });
    expect(await find()).toMatchObject({ kind: 'found', metaData: { 'instance-id': 'i-cfg' } });
  });

  test.each([
    ['ds=nocloud', 'ds=nocloud, but no seed directory'],
    ['ds=nocloud;s=/mnt/late/', 'no seed at /mnt/late/'],
    ['ds=nocloud;s=file:///mnt/late/', 'no seed at file:///mnt/late/'],
  ])('a seed that %s promises may be attached or mounted late', async (line, looked) => {
    await put({ '/proc/cmdline': line });
    const answer = await find();
    expect(answer.kind === 'not-mine' && answer.looked?.join()).toContain(looked);
  });

  test('a seed that is too large is an error, not "nothing"', async () => {
    await put({ [`${SEED}/meta-data`]: '', [`${SEED}/user-data`]: 'x'.repeat(16 * 1024 * 1024 + 1) });
    await expect(find()).rejects.toThrow(HostError);
  });

  test('a volume that is mounted already is read where it is', async () => {
    await put({
      '/dev/sr9': '',
      '/mnt/user data/user-data': 'v',
      '/mnt/user data/meta-data': 'instance-id: i-3',
      '/home/mallory/mine/user-data': 'of an ordinary user',
      '/home/mallory/mine/meta-data': 'instance-id: mine',
    });
    await put({
      '/proc/self/mounts':
        '/dev/sr9 /home/mallory/mine fuse.mine rw,user_id=1000 0 0\n/dev/sr9 /mnt/user\\040data iso9660 ro 0 0\n',
    });
    await mkdir(join(root, 'dev/disk/by-label'), { recursive: true });
    await symlink('../../sr9', join(root, 'dev/disk/by-label/cidata'));
    expect(await find()).toMatchObject({
      kind: 'found',
      source: 'nocloud (/dev/sr9)',
      metaData: { 'instance-id': 'i-3' },
    });
  });
});

describe('a config drive', () => {
  const drive = '/var/lib/cloud/seed/config_drive/openstack';
  const META = JSON.stringify({ uuid: 'u-1', hostname: 'n1', public_keys: { a: 'ssh-ed25519 A' } });

  test('in a directory, by the newest version that both know', async () => {
    await put({
      [`${drive}/2012-08-10/meta_data.json`]: '{"uuid": "old"}',
      [`${drive}/2018-08-27/meta_data.json`]: META,
      [`${drive}/2018-08-27/user_data`]: '#cloud-config\n',
      [`${drive}/2030-01-01/meta_data.json`]: '{"uuid": "new"}',
    });
    const answer = await find();
    expect(answer).toMatchObject({
      kind: 'found',
      source: 'configdrive (/var/lib/cloud/seed/config_drive)',
      metaData: { 'instance-id': 'u-1', 'local-hostname': 'n1' },
      cloud: { platform: 'openstack', publicKeys: ['ssh-ed25519 A'] },
    });
    expect(answer.kind === 'found' && answer.cloud?.providerId).toBe(undefined);
  });

  test('only `latest`, on a machine of Nova', async () => {
    await put({
      [`${drive}/latest/meta_data.json`]: META,
      [`${drive}/latest/user_data`]: 'x',
      '/sys/class/dmi/id/product_name': 'OpenStack Compute\n',
    });
    expect(await find()).toMatchObject({ kind: 'found', cloud: { providerId: 'openstack:///u-1' } });
  });

  test('that is damaged is an error, not "nothing"', async () => {
    await put({ [`${drive}/latest/meta_data.json`]: '{' });
    expect(await find()).toMatchObject({ kind: 'refused', source: 'configdrive' });
  });
});

test('a source that does not exist is named, with those that do', async () => {
  await expect(find({ source: 'ec3' })).rejects.toThrow(
    /Unknown source "ec3"; the sources are: cloud-init, nocloud, configdrive/,
  );
});

describe('a volume that is not mounted, by our own readers', () => {
  const image = (name: string) =>
    gunzipSync(readFileSync(join(import.meta.dirname, 'images/fixtures', `${name}.gz`)));

  test.each([
    ['rock.iso', 'nocloud (/dev/sr0)', 'i-1'],
    ['fat12.img', 'nocloud (/dev/sr0)', 'i-1'],
    ['joliet.iso', 'configdrive (/dev/sr0)', 'u-1'],
  ])('%s, without a word of udev', async (name, source, id) => {
    await put({ '/sys/class/block/sr0/size': '1', '/sys/class/block/sdb/size': '1', '/dev/sdb': 'nothing' });
    await writeFile(join(root, 'dev/sr0'), image(name));
    const answer = await find();
    expect(answer).toMatchObject({ kind: 'found', source, metaData: { 'instance-id': id } });
    expect(answer.kind === 'found' && answer.userData.toString()).toBe('#cloud-config\n{}\n');
  });

  test('a label that udev shows, on a volume that nobody can read, is an error', async () => {
    await put({ '/dev/sr0': 'no file system' });
    await mkdir(join(root, 'dev/disk/by-label'), { recursive: true });
    await symlink('../../sr0', join(root, 'dev/disk/by-label/cidata'));
    await expect(find()).rejects.toThrow(/cannot read the seed volume \/dev\/sr0 or mount it/);
  });
});

describe('a file that is named', () => {
  test('with meta-data', async () => {
    await put({
      '/u': '#cloud-config\n',
      '/m': '{"instance-id": "i-9"}',
      [`${SEED}/user-data`]: 'no',
      [`${SEED}/meta-data`]: '',
    });
    expect(await find({ userDataFile: '/u', metaDataFile: '/m' })).toMatchObject({
      kind: 'found',
      source: 'file',
      metaData: { 'instance-id': 'i-9' },
    });
  });

  test.each([
    [
      '{"uuid": "i-9", "hostname": "n9", "random_seed": "hidden"}',
      { 'instance-id': 'i-9', 'local-hostname': 'n9' },
    ],
    ['uuid: i-8\ninstance-id: i-7\n', { 'instance-id': 'i-7' }],
  ])("explicit metadata may be OpenStack's meta_data.json: %s", async (text, metaData) => {
    await put({ '/u': 'x', '/m': text });
    const answer = await find({ userDataFile: '/u', metaDataFile: '/m' });
    expect(answer).toMatchObject({ kind: 'found', metaData });
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  test('that is missing or empty', async () => {
    await expect(find({ userDataFile: '/nope' })).rejects.toThrow(HostError);
    await put({ '/u': '' });
    expect(await find({ userDataFile: '/u' })).toMatchObject({ kind: 'empty', source: 'file' });
  });
});

test.each([
  ['', undefined],
  ['ds=nocloudy', undefined],
  ['xds=nocloud', undefined],
  ['ds=nocloud', { metaData: {} }],
  [
    'a ds=nocloud-net;i=1;h=b;x=y;z b',
    { metaData: { 'instance-id': '1', 'local-hostname': 'b', x: 'y', z: null } },
  ],
  ['ds=nocloud;s=/a ds=nocloud;seedfrom=/b;', { metaData: {}, seedFrom: '/b' }],
])('the setting %j', (line, result) => {
  expect(parseNoCloudLine(line)).toEqual(result);
});
