import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

const KEYS = [
  'runcmd',
  'bootcmd',
  'ntp',
  'servers',
  'ssh_authorized_keys',
  'groups',
  'uid',
  'gid',
  'onError',
];

it.each([
  ['run_cmd', 'runcmd'],
  ['run-cmds', 'runcmd'],
  ['server', 'servers'],
  ['ssh_authorized_key', 'ssh_authorized_keys'],
  ['onerror', 'onError'],
  ['Groups', 'groups'],
  // Two are as near.
  ['mid', undefined],
  ['x', undefined],
  ['password', undefined],
  ['r'.repeat(100), undefined],
  ['', undefined],
])('%s was meant to be %s', (word, meant) => {
  expect(nearest(word, KEYS)).toBe(meant);
});
