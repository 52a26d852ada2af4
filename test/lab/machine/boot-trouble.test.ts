import { expect, it } from 'vitest';
import { isFrozen, unbootable } from './boot-trouble.ts';

const status = (version: string) =>
  `Package: sed\nVersion: 4.9-2\n\nPackage: systemd\nStatus: install ok installed\nVersion: ${version}\n\nPackage: tar\nVersion: 999\n`;

it.each([
  ['258.1-2', true, /systemd 258 .* version 2 alone/],
  ['260~rc1-1', true, /systemd 260/],
])('systemd %s does not boot on control groups of version 1', (version, hasVersion1, why) => {
  expect(unbootable(status(version), hasVersion1)).toMatch(why);
});

it.each([
  ['257.8-1~deb13u1', true],
  ['252.38-1~deb12u1', true],
  ['258.1-2', false],
])('systemd %s may boot (version 1: %s)', (version, hasVersion1) => {
  expect(unbootable(status(version), hasVersion1)).toBeUndefined();
});

it('sees where a system says that it goes no further', () => {
  expect(isFrozen('[!!!!!!] Failed to mount API filesystems.\nFreezing execution.\n')).toBe(true);
  expect(isFrozen('[  OK  ] Reached target multi-user.target\n')).toBe(false);
});
