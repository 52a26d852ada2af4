import type { Outcome } from '../../protocol/outcome.ts';
import { parseOutcome } from '../../protocol/read-outcome.ts';
import { OUTCOME, OUTCOME_ASIDE } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * The verdict as it is now; undefined when it is not there or is no verdict (then the journal tells).
 *
 * @throws HostError when it is there and cannot be read
 */
export async function readOutcome(host: Host): Promise<Outcome | undefined> {
  const [usual, aside] = [await read(host, OUTCOME), await readAside(host)];
  return aside !== undefined && aside.endedAt > (usual?.endedAt ?? '') ? aside : usual;
}

/** What lies outside /run may be of an earlier boot, and only root may look there. */
async function readAside(host: Host): Promise<Outcome | undefined> {
  const outcome = await read(host, OUTCOME_ASIDE).catch(() => undefined);
  return outcome?.boot === (await host.bootId()) ? outcome : undefined;
}

async function read(host: Host, path: string): Promise<Outcome | undefined> {
  try {
    const bytes = await host.files.readIfPresent(path, MAX_BYTES);
    return bytes && parseOutcome(bytes);
  } catch (error) {
    if (error instanceof HostError && error.errno === 'EFBIG') return undefined;
    throw error;
  }
}
