import { expect, it } from 'vitest';
import { createLinuxHost } from '../../host/linux/host.ts';
import { installOnWindows } from './install.ts';
import { PROGRAM } from './places.ts';

it('makes the folder of its state, before an ordinary user does', async () => {
  const made: unknown[] = [];
  const real = createLinuxHost({ root: '/nothing' });
  const host = {
    ...real,
    root: '/',
    files: { ...real.files, mkdir: async (...of: unknown[]) => void made.push(of) },
  };
  await installOnWindows(host, { shim: false, service: false, report: false, version: '0', self: PROGRAM });
  expect(made).toEqual([['/var/lib/slipway', 0o700]]);
});
