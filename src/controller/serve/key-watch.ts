import { type Log, reason } from '../log.ts';
import type { Keys } from './key-ring.ts';
import type { KeyPlace } from './keys.ts';

const LOOK_MS = 10_000;

/** Takes up what `ca rotate` stores. @returns stops it */
export function followKeys(keys: Keys, place: KeyPlace, log: Log): () => void {
  const look = async (): Promise<void> => {
    try {
      const stored = await place.read();
      if (stored) keys.take(stored);
    } catch (error) {
      log.warn('the authority could not be read again; the known one stays', { reason: reason(error) });
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
