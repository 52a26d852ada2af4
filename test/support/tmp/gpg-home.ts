import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, vi } from 'vitest';

/**
 * Ends the agent that gpg began for the keyring in `folder`/`home`, and takes the folder away.
 *
 * The agent takes its sockets away as it ends, which may be after it was told to: a removal by Node.js that meets one gone
 * stops there, without a word, and leaves the rest.
 */
export async function endGpg(folder: string, home: string): Promise<void> {
  execaSync('gpgconf', ['--homedir', join(folder, home), '--kill', 'all'], { reject: false });
  await vi.waitFor(() => {
    rmSync(folder, { recursive: true, force: true });
    expect(existsSync(folder)).toBe(false);
  });
}
