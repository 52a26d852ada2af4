import { type Log, reason } from '../log.ts';
import type { KeyStorage } from './key-storage.ts';

const LOOK_MS = 10_000;

/** Takes up what `ca rotate` stores. @returns stops it */
export function followKeys<T>(keys: { take(material: T): void }, place: KeyStorage<T>, log: Log): () => void {
  const look = async (): Promise<void> => {
    try {
      const stored = await place.read();
      if (stored) keys.take(stored);
    } catch (error) {
      log.warn('a key could not be read again; the known one stays', {
        key: place.name,
        reason: reason(error),
      });
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
