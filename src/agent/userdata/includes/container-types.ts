import type { Part } from '../decode/part.ts';

/** Parts that hold addresses of others. */
export const INCLUDE_TYPES: readonly string[] = ['text/x-include-url', 'text/x-include-once-url'];

/** A part that holds others. */
export const ARCHIVE_TYPE = 'text/cloud-config-archive';

/** Is there a part that stands for others? */
export function hasContainers(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === ARCHIVE_TYPE || INCLUDE_TYPES.includes(type));
}
