import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endGpg } from '../../../../../test/support/tmp/gpg-home.ts';
import type { Document } from '../../../document/document.ts';
import type { Host } from '../../../host/host.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { previewRepositories } from './repositories.ts';
import { keyFromServer } from './server-key.ts';

const hasGpg = spawnSync('gpg', ['--version']).status === 0;

describe.runIf(hasGpg)('a key of a key server (needs gpg)', () => {
  let top: string;
  let server: Server;
  const answers: Record<string, string> = {};

  const gpg = (...args: string[]): string =>
    execFileSync('gpg', ['--homedir', join(top, 'made'), '--batch', '--quiet', ...args], {
      encoding: 'utf8',
    });
  const fingerprints = (armoured: string): string[] => {
    const told = execFileSync('gpg', ['--homedir', join(top, 'made'), '--with-colons', '--show-keys'], {
      encoding: 'utf8',
      input: armoured,
    });
    return [...told.matchAll(/^fpr:+([0-9A-F]+):$/gm)].flatMap(([, fingerprint]) => fingerprint ?? []);
  };

  beforeAll(async () => {
    top = mkdtempSync(join(tmpdir(), 'slipway-server-key-'));
    mkdirSync(join(top, 'made'), { mode: 0o700 });
    for (const name of ['one', 'two'])
      gpg('--passphrase', '', '--quick-gen-key', `${name}@key.test`, 'ed25519', 'cert,sign', 'never');
    const [one = ''] = fingerprints(gpg('--armor', '--export', 'one@key.test'));
    gpg('--passphrase', '', '--quick-add-key', one, 'ed25519', 'sign', 'never');
    answers['/one'] = gpg('--armor', '--export', 'one@key.test');
    answers['/both'] = gpg('--armor', '--export');
    answers['/two'] = gpg('--armor', '--export', 'two@key.test');
    answers['/none'] = '<html>no key here</html>';
    server = createServer(({ url = '' }, response) => {
      const answer = answers[url];
      response.writeHead(answer === undefined ? 404 : 200).end(answer);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    server.close();
    await endGpg(top, 'made');
  });

  /** This machine, with the ring in a directory of the test's. */
  function machine(): Host {
    const host = createLinuxHost();
    const here = (word: string): string => (word.startsWith('/run/slipway') ? join(top, word) : word);
    return {
      ...host,
      files: { ...host.files, mkdir: (path, mode) => host.files.mkdir(here(path), mode) },
      processes: {
        ...host.processes,
        run: (how) => host.processes.run({ ...how, argv: how.argv.map(here) as [string, ...string[]] }),
      },
    };
  }

  const fetched = (path: string, id: string) => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}${path}`;
    return keyFromServer(machine(), { id, url }, undefined, new AbortController().signal);
  };

  it('is the one asked for, by its own fingerprint or a subkey, and no other that comes along', async () => {
    const all = fingerprints(answers['/one'] ?? '');
    const [own = '', sub = ''] = all;
    for (const id of [own, own.slice(-16), sub])
      expect(fingerprints(await fetched('/both', id))).toEqual(all);
  });

  it.each([
    ['/two', 'gave another key than'],
    ['/none', 'Cannot read the key'],
    ['/gone', 'returned status 404'],
  ])('%s is refused', async (path, words) => {
    const [own = ''] = fingerprints(answers['/one'] ?? '');
    await expect(fetched(path, own)).rejects.toMatchObject({
      code: 'ResourceRefused',
      message: expect.stringContaining(words),
    });
  });
});

it.each([
  ['that has both programs', ['gpg', 'add-apt-repository'], 0],
  ['that can install them', ['apt-get'], 0],
  ['without', ['gpg'], 1],
  ['without any', [], 2],
])('what a machine %s lacks is known before', async (_, there, count) => {
  const which = async (name: string) => (there.includes(name) ? `/usr/bin/${name}` : undefined);
  const host = { processes: { which } } as unknown as Host;
  const key = { id: 'A', url: 'https://k.test/', where: { line: 3, column: 5 } };
  const files = [{ path: '/k', content: undefined as never, keeps: false, key }];
  const lacking = await previewRepositories([{ files, archives: [{ name: 'ppa:a/b' }] }], {
    document: {} as Document,
    host,
    moment: 'again',
  });
  expect(lacking.map(({ message }) => message)).toEqual(
    [expect.stringContaining('ppa:a/b needs'), expect.stringContaining('the key A needs')]
      .slice(0, count)
      .reverse(),
  );
});
