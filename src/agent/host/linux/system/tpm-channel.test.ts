import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratch } from '../../../../../test/support/tmp/scratch.ts';
import { openTpm } from './tpm-channel.ts';

let folder: string;
beforeEach(() => {
  folder = scratch();
});

/** A server that goes before anybody has asked it, as what is no TPM may do. */
async function rude(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

describe('openTpm', () => {
  it('says so and closes where somebody has hung up before he was asked', async () => {
    const path = join(folder, 'socket');
    const server = await rude(path);
    try {
      const channel = await openTpm(path, path);
      for (const _ of [1, 2])
        await expect(channel?.transmit(Buffer.alloc(10))).rejects.toThrow(/hung up|EPIPE/);
      await channel?.close();
    } finally {
      server.close();
    }
  });

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
