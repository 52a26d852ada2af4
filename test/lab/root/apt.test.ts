import { describe, expect, it } from 'vitest';
import { LabError } from '../process/command.ts';
import { explainingApt, formatSources, hostAptSources, inSuite, parseAptSources, suiteOf } from './apt.ts';

describe('parseAptSources', () => {
  it('reads deb822, and leaves out what does not serve the release', () => {
    const text = `# a mirror of ours
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://tools.example/apt
Suites: stable
Components: main

Enabled: no
Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
`;
    expect(parseAptSources(text, 'sources', 'bookworm')).toEqual([
      {
        uri: 'http://mirror.example/debian',
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main', 'contrib'],
        signedBy: '/usr/share/keyrings/debian-archive-keyring.gpg',
      },
    ]);
  });

  it('reads one-line files with options and comments', () => {
    const text = `deb [arch=amd64 signed-by=/k.gpg] http://m.example/debian bookworm main # ours
# deb http://off.example/debian bookworm main
deb-src http://m.example/debian bookworm main
deb http://m.example/security bookworm-security main contrib
`;
    expect(parseAptSources(text, 'list', 'bookworm')).toEqual([
      { uri: 'http://m.example/debian', suites: ['bookworm'], components: ['main'], signedBy: '/k.gpg' },
      { uri: 'http://m.example/security', suites: ['bookworm-security'], components: ['main', 'contrib'] },
    ]);
  });

  it('writes what it reads', () => {
    const source = {
      uri: 'http://m.example/debian',
      suites: ['bookworm', 'bookworm-updates'],
      components: ['main'],
    };
    expect(parseAptSources(formatSources([source]), 'sources', 'bookworm')).toEqual([source]);
  });
});

it('takes the mirror that the environment names', async () => {
  const sources = await hostAptSources({ SLIPWAY_LAB_MIRROR: 'http://mirror.example/debian' });
  expect(sources.map((source) => source.uri)).toEqual(['http://mirror.example/debian']);
});

it('asks the same archive for another release of Debian', () => {
  const archive = {
    uri: 'http://m.example/debian',
    suites: ['bookworm', 'bookworm-updates'],
    components: ['main'],
  };
  const security = { ...archive, uri: 'http://m.example/security', suites: ['bookworm-security'] };
  expect(inSuite([archive, security], 'forky')).toEqual([{ ...archive, suites: ['forky'] }]);
  expect(inSuite([archive, security], 'bookworm')).toEqual([archive, security]);
});

it('takes the release of the machines from the environment', () => {
  expect(suiteOf({})).toBe('bookworm');
  expect(suiteOf({ SLIPWAY_LAB_SUITE: 'trixie' })).toBe('trixie');
  expect(() => suiteOf({ SLIPWAY_LAB_SUITE: 'Debian 13' })).toThrow(/code name/);
});

it('says of a frozen mirror that it is one', async () => {
  const said =
    'apt-get failed: E: Release file for http://mirror.example/debian/dists/trixie/InRelease is expired (invalid since 12d 3h 4min 5s). Updates for this repository will not be applied.';
  await expect(explainingApt(Promise.reject(new LabError(said)))).rejects.toThrow(
    /^the mirror is frozen: its index http:\/\/mirror\.example\/\S+ has been out of date for 12d 3h 4min 5s, /,
  );
  await expect(explainingApt(Promise.reject(new LabError('another')))).rejects.toThrow(/^another$/);
  expect(await explainingApt(Promise.resolve(1))).toBe(1);
});
