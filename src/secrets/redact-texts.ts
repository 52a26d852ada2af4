import { mapTexts, visibleOutput } from '../kit/terminal/visible.ts';
import { redact } from './redact.ts';

/**
 * The same value, with every text in it, however deep, as `redact` and then `visibleOutput` leave it.
 *
 * @param own keys whose texts the program makes itself, from nothing that could be a secret; looking at them takes time
 */
export function presentableTexts<T>(value: T, own: ReadonlySet<string> = new Set()): T {
  return mapTexts(value, (text, key) => visibleOutput(own.has(key) ? text : redact(text)));
}

/** The same value, with every text in it, however deep, as `redact` leaves it. */
export function redactTexts<T>(value: T): T {
  return mapTexts(value, redact);
}
