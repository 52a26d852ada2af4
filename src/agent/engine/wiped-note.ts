import { digest } from '../../kit/digest.ts';
import { STATE_DIR, WIPED_NOTE } from '../document/paths.ts';
import type { Host } from '../host/host.ts';

const MOST_BYTES = 4096;

/** Remembers user data, as they are without their secrets. Write it before they lose them. @throws HostError */
export async function noteWiped({ files }: Host, black: Buffer): Promise<void> {
  await files.mkdir(STATE_DIR, 0o700);
  await files.write(WIPED_NOTE, `${JSON.stringify({ version: 1, userData: digest(black) })}\n`, {
    mode: 0o600,
  });
}

/** Are these what was left of user data after a success on this machine, or on the one that its image was made of? */
export async function areWiped({ files }: Host, userData: Uint8Array): Promise<boolean> {
  const note = await files.readIfPresent(WIPED_NOTE, MOST_BYTES).catch(() => undefined);
  return note?.toString('utf8').includes(`"${digest(userData)}"`) ?? false;
}
