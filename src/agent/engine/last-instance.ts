import { digest } from '../../kit/digest.ts';
import { INSTANCE_NOTE } from '../document/paths.ts';
import { type Host, HostError } from '../host/host.ts';
import { machineInstance } from './instance.ts';
import { isAnotherMachine, machineUuid } from './machine-uuid.ts';

const MOST_BYTES = 4096;

interface Note {
  instance?: unknown;
  machine?: unknown;
  uuid?: unknown;
  seed?: unknown;
}

/** What is noted of user data that came on a volume. */
export function seedOf(userData: Uint8Array): string {
  return digest(userData);
}

/**
 * Notes for whom a bootstrap has succeeded on this machine, for boots at which its source does not say.
 *
 * @param seed `seedOf` user data that came on a volume; null where they came from elsewhere; undefined where that says nothing of what
 * the next boot finds
 */
export async function noteInstance(host: Host, instance: string, seed?: string | null): Promise<void> {
  try {
    const before = await readNote(host);
    const machine = await host.machineId();
    // Where nothing is shown now, what was shown before stands.
    const uuid = (await machineUuid(host)) ?? (before.machine === machine ? before.uuid : undefined);
    const note = { version: 1, instance, machine, uuid, seed: seed === undefined ? before.seed : seed };
    if (JSON.stringify(before) === JSON.stringify(note)) return;
    // Beside the journal, which has its directory by now.
    await host.files.write(INSTANCE_NOTE, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch (error) {
    // Nothing of the success rests on it.
    if (!(error instanceof HostError)) throw error;
  }
}

/**
 * The instance that this machine was bootstrapped for, as far as it can tell by itself. A note that came with an image does not
 * count, nor does one that came with the copy of a disk: then nobody knows, and the firmware's name stands for the machine.
 */
export async function lastInstance(host: Host): Promise<string> {
  const { instance, machine, uuid } = await readNote(host);
  const isOwn = typeof machine === 'string' && machine === (await host.machineId());
  const now = await machineUuid(host);
  if (isOwn && typeof uuid === 'string' && now !== undefined && isAnotherMachine(uuid, now)) return now;
  return isOwn && typeof instance === 'string' ? instance : machineInstance(host);
}

/** The seed that was noted on this machine, or null; undefined where nobody knows. */
export async function notedSeed(host: Host): Promise<string | null | undefined> {
  const { machine, seed } = await readNote(host);
  const isOwn = typeof machine === 'string' && machine === (await host.machineId());
  return isOwn && (seed === null || typeof seed === 'string') ? seed : undefined;
}

async function readNote(host: Host): Promise<Note> {
  const bytes = await host.files.readIfPresent(INSTANCE_NOTE, MOST_BYTES).catch(() => undefined);
  try {
    return Object(JSON.parse(bytes?.toString('utf8') ?? ''));
  } catch {
    return {};
  }
}
