import { mapTexts } from '../terminal/visible.ts';
import { redact } from './redact.ts';

/**
 * The same value, with every text in it, however deep, as `redact` leaves it.
 *
 * @param own keys whose texts the program makes itself, from nothing that could be a secret; looking at them takes time
 */
export function clean<T>(value: T, own: ReadonlySet<string> = new Set()): T {
  return mapTexts(value, (text, key) => (own.has(key) ? text : redact(text)));
}
