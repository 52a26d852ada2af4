import type { Diagnostics } from '../../text/diagnostics.ts';
import type { SourceText } from '../../text/source-text.ts';
import { guessContent } from './guess-content.ts';

/** Refuses a text of which nothing says what it is, with what its beginning reads like. */
export function refuseFirstLine(source: SourceText, name: string, diagnostics: Diagnostics): void {
  const start = Math.max(source.text.search(/\S/), 0);
  const head = source.text.slice(start, start + 4096);
  const message = `${name} has a first line that Slipway does not know; ${guessContent(head, source.text)}.`;
  diagnostics.error('UserDataFormatUnknown', message, source.locate(start));
}
