import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLinuxHost } from '../../../host/linux/host.ts';
import { writeDoasRules } from './doas.ts';

it('gives rules once, and keeps the mode of the file that is there', async () => {
  const root = mkdtempSync(join(tmpdir(), 'slipway-doas-'));
  try {
    mkdirSync(join(root, 'etc'));
    const host = createLinuxHost({ root });
    const file = join(root, 'etc/doas.conf');
    for (const name of ['a', 'b', 'a']) await writeDoasRules(host, name, [`permit ${name}`]);
    expect(readFileSync(file, 'utf8').match(/^permit .*$/gm)).toEqual(['permit a', 'permit b']);
    expect(lstatSync(file).mode & 0o777).toBe(0o440);
    chmodSync(file, 0o400);
    await writeDoasRules(host, 'c', ['permit c']);
    expect(lstatSync(file).mode & 0o777).toBe(0o400);
    renameSync(file, join(root, 'etc/other.conf'));
    symlinkSync('other.conf', file);
    await writeDoasRules(host, 'd', ['permit d']);
    expect(lstatSync(join(root, 'etc/other.conf')).mode & 0o777).toBe(0o400);
  } finally {
    rmSync(root, { recursive: true });
  }
});
