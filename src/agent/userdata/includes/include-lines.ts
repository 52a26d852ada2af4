import type { Position } from '../../document/document.ts';
import type { SourceText } from '../../text/source-text.ts';
import type { Part } from '../decode/part.ts';

export interface IncludeLine {
  address: string;
  /** Fetched once per instance, and read again from what was kept. */
  isOnce: boolean;
  where: Position;
}

/**
 * The addresses of an include file, one a line, by cloud-init's rules: `#include` and `#include-once` may stand before an
 * address or alone, and hold until the next of them; other lines with `#` are comments.
 */
export function includeLines({ text, locate }: SourceText): IncludeLine[] {
  const found: IncludeLine[] = [];
  let isOnce = false;
  let offset = 0;
  for (const line of text.split('\n')) {
    const [, word = '', rest = line] = /^(#include-once|#include)(.*)$/i.exec(line) ?? [];
    if (word !== '') isOnce = word.toLowerCase() === '#include-once';
    const address = rest.trim();
    if (address !== '' && !rest.trimStart().startsWith('#'))
      found.push({ address, isOnce, where: locate(offset + line.indexOf(address, word.length)) });
    offset += line.length + 1;
  }
  return found;
}

/** Parts that hold addresses of others. */
export const INCLUDE_TYPES: readonly string[] = ['text/x-include-url', 'text/x-include-once-url'];

/** A part that holds others. */
export const ARCHIVE_TYPE = 'text/cloud-config-archive';

/** Is there a part that stands for others? */
export function hasContainers(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === ARCHIVE_TYPE || INCLUDE_TYPES.includes(type));
}
