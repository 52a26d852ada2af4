import { SEALED_KEPT } from '../document/paths.ts';
import { noteWiped } from '../engine/wiped-note.ts';
import type { Files } from '../host/files.ts';
import { type Host, HostError } from '../host/host.ts';
import type { OpenedUserData } from '../userdata/user-data-reference.ts';

const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Keeps user data that lay elsewhere and have done their work, without their secrets: later starts see that they are done, and whatever
 * runs at every boot needs no controller.
 *
 * @throws HostError
 */
export async function saveUserData(
  { files }: Host,
  { digest }: Pick<OpenedUserData, 'digest'>,
  black: Buffer,
): Promise<void> {
  await write(files, { version: 1, digest, userData: black.toString('base64') });
}

/** Notes that they are deleted where they lay, so that no later start deletes them again. @throws HostError */
export async function recordDeletion(
  { files }: Host,
  { digest }: Pick<OpenedUserData, 'digest'>,
): Promise<void> {
  const kept = await read(files, digest);
  if (kept) await write(files, { ...kept, spent: true });
}

interface Kept {
  version: 1;
  digest: string;
  userData: string;
  spent?: boolean;
}

async function write(files: Files, kept: Kept): Promise<void> {
  await files.write(SEALED_KEPT, `${JSON.stringify(kept)}\n`, { mode: 0o600, parentsMode: 0o700 });
}

/** What was kept of these; undefined where the bootstrap has not succeeded with them, or it cannot be read. */
export async function readSavedUserData(
  { files }: Host,
  { digest }: Pick<OpenedUserData, 'digest'>,
): Promise<{ userData: Buffer; isSpent: boolean } | undefined> {
  const kept = await read(files, digest);
  return kept && { userData: Buffer.from(kept.userData, 'base64'), isSpent: kept.spent === true };
}

async function read(files: Files, digest: string): Promise<Kept | undefined> {
  try {
    const bytes = await files.readIfPresent(SEALED_KEPT, MOST_BYTES);
    const kept = bytes && JSON.parse(bytes.toString('utf8'));
    const isTheirs = kept?.version === 1 && kept.digest === digest && typeof kept.userData === 'string';
    return isTheirs ? kept : undefined;
  } catch (error) {
    if (error instanceof HostError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** After success: later starts find what was done, and know that it has lost its secrets. @throws HostError */
export async function saveAfterSuccess(
  host: Host,
  handedOver: Pick<OpenedUserData, 'digest'>,
  black: Buffer,
): Promise<void> {
  await noteWiped(host, black);
  await saveUserData(host, handedOver, black);
}
