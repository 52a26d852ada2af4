import { describe, expect, it } from 'vitest';
import { readUserData } from '../../read-user-data.ts';

async function read(storage: object) {
  const config = { ignition: { version: '3.5.0' }, storage };
  return readUserData(Buffer.from(JSON.stringify(config)), { metaData: {}, source: 'test' });
}
const errors = async (storage: object) =>
  (await read(storage)).report.flatMap(({ severity, message }) => (severity === 'error' ? [message] : []));

describe('volumes of Ignition', () => {
  it('reads arrays, by name or by their place', async () => {
    const { arrays } = await read({
      raid: [
        { name: 'data', level: 'raid1', devices: ['/dev/a', '/dev/b', '/dev/c'], spares: 1 },
        { name: '/dev/md/other', level: 'stripe', devices: ['/dev/d'], options: ['--chunk=64'] },
      ],
    });
    expect(arrays).toMatchObject([
      { name: 'data', path: '/dev/md/data', level: 'raid1', spares: 1, options: [] },
      { name: '/dev/md/other', path: '/dev/md/other', devices: ['/dev/d'], options: ['--chunk=64'] },
    ]);
  });

  it('asks clevis as Ignition does', async () => {
    const tang = [
      { url: 'http://a', thumbprint: 't' },
      { url: 'http://b', thumbprint: 'u', advertisement: '{"payload": "x"}' },
    ];
    const { encryptions } = await read({
      luks: [
        { name: 'a', device: '/dev/a', clevis: { tang, threshold: 2 } },
        { name: 'b', device: '/dev/b', clevis: { tpm2: true }, wipeVolume: true },
        {
          name: 'c',
          device: '/dev/c',
          clevis: { custom: { pin: 'tang', config: '{}', needsNetwork: true } },
        },
        { name: 'd', device: '/dev/d', keyFile: { source: 'data:,key' }, discard: true, openOptions: ['-x'] },
        { name: 'e', device: '/dev/e', clevis: { threshold: 1 } },
      ],
    });
    expect(encryptions?.map(({ clevis }) => clevis)).toEqual([
      {
        pin: 'sss',
        config:
          '{"pins":{"tang":[{"url":"http://a","thp":"t"},{"url":"http://b","thp":"u","adv":{"payload":"x"}}]},"t":2}',
        asks: ['http://a'],
        needsNetwork: true,
        isTried: false,
      },
      { pin: 'sss', config: '{"pins":{"tpm2":{}},"t":1}', asks: [], needsNetwork: false, isTried: true },
      { pin: 'tang', config: '{}', asks: [], needsNetwork: true, isTried: false },
      undefined,
      undefined,
    ]);
    expect(encryptions?.[3]).toMatchObject({ discard: true, openOptions: ['-x'], wipe: false });
    expect(String(encryptions?.[3]?.key?.content.reveal())).toBe('key');
    expect(encryptions?.[1]?.wipe).toBe(true);
  });

  it.each([
    [
      'a name that leads elsewhere',
      { luks: [{ name: '..', device: '/dev/a' }] },
      /luks\.0\.name is not a valid/,
    ],
    ['an option for a name', { luks: [{ name: '-x', device: '/dev/a' }] }, /luks\.0\.name is not a valid/],
    [
      'a UUID that is none',
      { luks: [{ name: 'a', device: '/dev/a', uuid: 'x' }] },
      /luks\.0\.uuid is no UUID/,
    ],
    ['crypto cards', { luks: [{ name: 'a', device: '/dev/a', cex: { enabled: true } }] }, /luks\.0/],
    [
      'a name of an array that leads elsewhere',
      { raid: [{ name: '/dev/../etc/x', level: 'raid1', devices: ['/dev/a'] }] },
      /raid\.0\.name/,
    ],
    [
      'only spares',
      { raid: [{ name: 'a', level: 'raid1', devices: ['/dev/a'], spares: 1 }] },
      /raid\.0\.spares/,
    ],
    [
      'options that Slipway gives',
      { raid: [{ name: 'a', level: 'raid1', devices: ['/dev/a'], options: ['--uuid=1'] }] },
      /options\.0 is set by Slipway itself/,
    ],
  ])('refuses %s, by its path', async (_, storage, message) => {
    expect((await errors(storage)).join('\n')).toMatch(message);
  });
});
