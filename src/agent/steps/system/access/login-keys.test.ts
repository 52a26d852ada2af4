import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import type { StepContext } from '../../../engine/step.ts';
import { createLinuxHost } from '../../../host/linux/host.ts';
import type { Shared } from '../../kind/shared.ts';
import { authorizeKeys } from './login-keys.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE';

it('says which keys let nobody in, and writes them as cloud-init does', async () => {
  const root = scratch();
  for (const directory of ['etc', 'root', 'home']) mkdirSync(join(root, directory), { mode: 0o700 });
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  const users = ['root', 'home'].map((name) => `${name}:x:${uid}:${gid}::/${name}:/bin/sh\n`);
  writeFileSync(join(root, 'etc/passwd'), users.join(''));
  const told: string[] = [];
  const settings = { keys: [KEY, 'ssh-rsa ...'], defaultUser: 'home', rootOptions: '' };
  const result = await authorizeKeys(settings, {} as Shared).run({
    host: createLinuxHost({ root }),
    finding: async ({ message }: { message: string }) => void told.push(message),
  } as Partial<StepContext> as StepContext);
  expect(result).toEqual({ done: true, message: '1 for home and root' });
  expect(told).toEqual([expect.stringContaining('1 of the SSH keys of the default user and root')]);
  expect(readFileSync(join(root, 'home/.ssh/authorized_keys'), 'utf8')).toBe(`${KEY}\nssh-rsa ...\n`);
});
