import { expect, it } from 'vitest';
import { sensitive } from '../../../secrets/sensitive.ts';
import type { UserEntry } from '../../document/document.ts';
import type { Host } from '../../host/host.ts';
import { setPassword } from './password.ts';

const [PLAIN, HASH, INITIAL] = ['own', '$6$s$hash', '$6$s$initial'].map((text) => sensitive(text));

it.each([
  [
    'the password in clear over that of useradd',
    { plainPassword: PLAIN, initialPasswordHash: INITIAL },
    ['a:own'],
  ],
  ['the hash over both', { plainPassword: PLAIN, passwordHash: HASH }, ['a:own', 'a:$6$s$hash']],
  ['that of useradd alone', { initialPasswordHash: INITIAL }, ['a:$6$s$initial']],
])('a new user gets %s, as with cloud-init', async (_what, passwords, expected) => {
  const given: string[] = [];
  const host = {
    files: { readIfPresent: async () => Buffer.from('a:!:1::::::\n') },
    processes: {
      run: async ({ input }: { input?: string }) => {
        if (input !== undefined) given.push(input.trim());
        return { exitStatus: 0, stdout: '', stderr: '' };
      },
    },
  } as unknown as Host;
  const user = { name: 'a', lockPassword: true, ...passwords } as unknown as UserEntry;
  await setPassword(host, user, true);
  expect(given).toEqual(expected);
});
