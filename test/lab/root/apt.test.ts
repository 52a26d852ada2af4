import { describe, expect, it } from 'vitest';
import { formatSources, hostAptSources, inSuite, parseAptSources } from './apt.ts';

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
