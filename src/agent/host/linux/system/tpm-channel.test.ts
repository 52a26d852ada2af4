import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTpm } from './tpm-channel.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-tpm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('openTpm', () => {
  it('finds nothing where nothing is', async () => {
    expect(await openTpm(join(folder, 'tpmrm0'), '/dev/tpmrm0')).toBeUndefined();
  });

  it('opens no file, pipe or other device, whatever its name: a command would be written into it', async () => {
    const file = join(folder, 'tpmrm0');
    writeFileSync(file, 'precious');
    await expect(openTpm(file, '/f')).rejects.toThrow(/neither a TPM's device nor a socket/);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    const [pipe, link] = [join(folder, 'tpm1'), join(folder, 'tpm2')];
    execFileSync('mkfifo', [pipe]);
    symlinkSync('/dev/null', link);
    for (const other of [pipe, link, '/dev/null', folder])
      await expect(openTpm(other, other)).rejects.toThrow(/neither/);
  });
});
