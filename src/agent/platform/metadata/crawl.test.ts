import { expect, it } from 'vitest';
import { crawl } from './crawl.ts';

it('stops at a service that answers every name with more names than a machine can have', async () => {
  let asked = 0;
  const endless = Array.from({ length: 20_000 }, (_, index) => `name-${index}`).join('\n');
  const tree = await crawl(async () => {
    asked += 1;
    return endless;
  });
  expect(asked).toBeLessThan(10);
  expect(Object.keys(tree ?? {}).length).toBeLessThan(10);
});

it('reads a tree as cloud-init does', async () => {
  const leaves: Record<string, string> = {
    '': 'a/\npublic-keys/',
    'a/': 'b\nc',
    'a/b': 'one',
    'a/c': 'one\ntwo\n',
    'public-keys/': '0=mine',
    'public-keys/0/openssh-key': 'ssh-ed25519 A',
  };
  expect(await crawl(async (path) => leaves[path])).toEqual({
    a: { b: 'one', c: ['one', 'two'] },
    'public-keys': { mine: 'ssh-ed25519 A' },
  });
});
