import { mapTexts } from '../terminal/visible.ts';
import { redact } from './redact.ts';

/** The same value, with every text in it, however deep, as `redact` leaves it. */
export function clean<T>(value: T): T {
  return mapTexts(value, redact);
}
