import type { Part } from '../decode/part.ts';

/** Parts that hold addresses of others. */
export const INCLUDES: readonly string[] = ['text/x-include-url', 'text/x-include-once-url'];

/** A part that holds others. */
export const ARCHIVE = 'text/cloud-config-archive';

/** Is there a part that stands for others? */
export function holdsOthers(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === ARCHIVE || INCLUDES.includes(type));
}
