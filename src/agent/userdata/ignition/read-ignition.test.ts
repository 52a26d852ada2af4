import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readUserData } from '../read-user-data.ts';

async function read(config: unknown) {
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  return readUserData(Buffer.from(text), { metaData: { 'instance-id': 'i-1' }, source: 'test' });
}

async function problems(config: unknown): Promise<string[]> {
  const { report } = await read(config);
  return report.map(({ severity, message }) => `${severity[0]} ${message.replace(/^(\S+) .*/, '$1')}`);
}

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const v3 = (rest: object, version = '3.4.0') => ({ ignition: { version }, ...rest });
const file = (more: object) => v3({ storage: { files: [{ path: '/a', ...more }] } });

it('knows a config by its content, packed or not, wherever the key stands', async () => {
  const text = '{"storage": {"links": [{"path": "/a", "target": "b"}]}, "ignition": {"version": "3.4.0"}}';
  for (const raw of [Buffer.from(text), gzipSync(text), Buffer.from(gzipSync(text).toString('base64'))]) {
    const document = await readUserData(raw, { metaData: {}, source: 'test' });
    expect(document).toMatchObject({ order: 'stages', report: [], links: [{ path: '/a', target: 'b' }] });
  }
});

it('says what a mode written in octal digits is in JSON', async () => {
  const said = async (mode: number) => (await read(file({ mode }))).report.map(({ message }) => message);
  expect(await said(644)).toEqual([expect.stringMatching(/ignored \(JSON has .* 0644 is 420\)/)]);
  expect(await said(0o4755)).toEqual([expect.stringMatching(/ignored\.?$/)]);
});

it('places what is wrong by path, line and column', async () => {
  const { report } = await read(
    '{\n "ignition": {"version": "3.4.0"},\n "storage": {"files": [\n  {"path": "a"}]}\n}',
  );
  expect(report).toEqual([
    {
      severity: 'error',
      code: 'UserDataInvalid',
      message: '$.storage.files.0.path must be an absolute path.',
      where: { line: 4, column: 12 },
    },
  ]);
});

it('finds what is below a file, or in its place, before anything is done', async () => {
  const directories = [{ path: '/a/b' }, { path: '/ab' }];
  const { report } = await read(v3({ storage: { files: [{ path: '/a' }], directories } }));
  expect(report).toMatchObject([
    { severity: 'error', message: expect.stringMatching(/^\/a\/b is below \/a \(/) },
  ]);
});

it.each([
  ['3.5.0', 0o755],
  ['3.6.0', 0o4755],
])('takes special bits of a mode as Ignition does: %s', async (version, mode) => {
  const storage = { files: [{ path: '/a', mode: 0o4755 }], directories: [{ path: '/b', mode: 0o4755 }] };
  const document = await read(v3({ storage }, version));
  expect([document.files[0]?.mode, document.directories?.[0]?.mode]).toEqual([mode, mode]);
});

describe('as ignition-validate', () => {
  it.each<[string, unknown, string[]]>([
    [
      'an unknown key',
      v3({ foo: 1, storage: { files: [{ path: '/a', bar: {} }] } }),
      ['w $.foo', 'w $.storage.files.0.bar'],
    ],
    ['a key of a later spec', v3({ kernelArguments: {} }, '3.2.0'), ['w $.kernelArguments']],
    ['a value of a wrong type', file({ mode: '0644' }), ['e $.storage.files.0.mode']],
    ['a mode that is none', file({ mode: 0o10000 }), ['e $.storage.files.0.mode']],
    ['special bits before 3.6', file({ mode: 0o4755 }), ['w $.storage.files.0.mode']],
    ['a path with ..', file({ path: '/a/../b' }), ['e $.storage.files.0.path']],
    [
      'a path twice',
      v3({ storage: { files: [{ path: '/a' }], directories: [{ path: '/a' }] } }),
      ['e $.storage.files.0'],
    ],
    ['overwrite of nothing', file({ overwrite: true }), ['e $.storage.files.0.overwrite']],
    [
      'a source that is none',
      file({ contents: { source: 'foo:bar' } }),
      ['e $.storage.files.0.contents.source'],
    ],
    [
      'data that are none',
      file({ contents: { source: 'data:,a b' } }),
      ['e $.storage.files.0.contents.source'],
    ],
    [
      'a hash of an unknown kind',
      file({ contents: { source: 'data:,a', verification: { hash: 'md5-x' } } }),
      ['e $.storage.files.0.contents.verification.hash'],
    ],
    [
      'headers without http',
      file({ contents: { source: 'data:,a', httpHeaders: [{ name: 'a', value: 'b' }] } }),
      ['e $.storage.files.0.contents.httpHeaders'],
    ],
    ['an owner twice', file({ user: { id: 1, name: 'x' } }), ['e $.storage.files.0.user']],
    [
      'a path below a link',
      v3({ storage: { files: [{ path: '/a/b' }], links: [{ path: '/a', target: '/c' }] } }),
      ['e $.storage.files.0'],
    ],
    ['a unit of no kind', v3({ systemd: { units: [{ name: 'a' }] } }), ['e $.systemd.units.0.name']],
    [
      'a unit that is none',
      v3({ systemd: { units: [{ name: 'a.service', contents: '[Foo' }] } }),
      ['e $.systemd.units.0.contents'],
    ],
    [
      'a drop-in of a wrong name',
      v3({ systemd: { units: [{ name: 'a.service', dropins: [{ name: 'b' }] }] } }),
      ['e $.systemd.units.0.dropins.0.name'],
    ],
    [
      'enabling without [Install]',
      v3({ systemd: { units: [{ name: 'a.service', enabled: true, contents: '[Unit]\nA=b' }] } }),
      ['w $.systemd.units.0.contents'],
    ],
    [
      'a proxy in clear for https',
      v3({ ignition: { version: '3.4.0', proxy: { httpsProxy: 'http://p' } } }),
      ['w $.ignition.proxy.httpsProxy'],
    ],
    [
      'a key in other case',
      { Ignition: { Version: '3.4.0' }, ignition: {} },
      ['w $.Ignition', 'w $.ignition.Version', 'w $.ignition'],
    ],
  ])('%s', async (_, config, expected) => {
    expect(await problems(config)).toEqual(expected);
  });

  it.each(['3.7.0', '3.4.0-experimental', '2.5.0', '1.0.0', '4.0.0', '3.4', 'x', 3])(
    'refuses version %s',
    async (version) => {
      expect(await problems({ ignition: { version } })).toEqual(['e $.ignition.version']);
    },
  );

  it('knows what changed between versions', async () => {
    const sha256 = (version: string) => ({
      ignition: { version },
      storage: {
        files: [
          {
            path: '/a',
            contents: { source: 'data:,a', verification: { hash: `sha256-${sha256Of('a')}` } },
          },
        ],
      },
    });
    expect(await problems(sha256('3.0.0'))).toEqual(['e $.storage.files.0.contents.verification.hash']);
    expect(await problems(sha256('3.1.0'))).toEqual([]);
  });
});

describe('spec 2', () => {
  it('is read in its own words', async () => {
    const { files, directories, links, units, report } = await read({
      ignition: { version: '2.3.0' },
      storage: {
        files: [
          { filesystem: 'root', path: '/a', mode: 0o600, contents: { source: 'data:,x' } },
          { filesystem: 'root', path: '/b', append: true, contents: { source: 'data:,y' } },
        ],
        directories: [{ filesystem: 'root', path: '/d', mode: 0o755, user: { name: 'core' } }],
        links: [{ filesystem: 'root', path: '/l', target: '/a' }],
      },
      networkd: { units: [{ name: 'a.network', contents: '[Match]\nName=e*\n' }] },
      systemd: { units: [{ name: 'a.service', enable: true, contents: '[Install]\nWantedBy=x\n' }] },
    });
    expect(report).toEqual([]);
    expect(files.map(({ path, mode, append, rule }) => [path, mode, append, rule?.present])).toEqual([
      ['/a', 0o600, false, 'remove'],
      ['/b', 0o644, true, 'keep'],
      ['/etc/systemd/network/a.network', 0o644, false, 'remove'],
    ]);
    expect(directories).toMatchObject([{ path: '/d', owner: 'core:0' }]);
    expect(links).toMatchObject([{ path: '/l', target: '/a', hard: false }]);
    expect(units).toMatchObject([{ name: 'a.service', enabled: true }]);
  });

  it('warns of a file without a mode, which nobody but root can read', async () => {
    const config = {
      ignition: { version: '2.2.0' },
      storage: { files: [{ filesystem: 'root', path: '/a', contents: {} }] },
    };
    expect(await problems(config)).toEqual(['w $.storage.files.0']);
  });
});

it('decodes content, and refuses content that is not what it says', async () => {
  const hash = `sha256-${sha256Of('hello')}`;
  const source = `data:;base64,${gzipSync('hello').toString('base64')}`;
  const { files, report } = await read(
    file({ contents: { source, compression: 'gzip', verification: { hash } } }),
  );
  expect(report).toEqual([]);
  expect(Buffer.from(files[0]?.content.reveal() ?? []).toString()).toBe('hello');
  const at = '$.storage.files.0.contents';
  const wrong = { source: 'data:,x', verification: { hash } };
  expect(await problems(file({ contents: wrong }))).toEqual([`e ${at}.verification.hash`]);
  expect(await problems(file({ contents: { source: 'data:,x', compression: 'gzip' } }))).toEqual([
    `e ${at}.source`,
  ]);
  const bomb = `data:;base64,${gzipSync(Buffer.alloc(100_000_000)).toString('base64')}`;
  expect(await problems(file({ contents: { source: bomb, compression: 'gzip' } }))).toEqual([
    `e ${at}.source`,
  ]);
});
