import type { Report } from '../../text/diagnostics.ts';
import type { SourceText } from '../../text/source-text.ts';
import { readsLike } from './guess-content.ts';

/** Refuses a text of which nothing says what it is, with what its beginning reads like. */
export function refuseFirstLine(source: SourceText, name: string, report: Report): void {
  const start = Math.max(source.text.search(/\S/), 0);
  const head = source.text.slice(start, start + 4096);
  const message = `${name} has a first line that Slipway does not know; ${readsLike(head, source.text)}.`;
  report.error('UserDataFormatUnknown', message, source.locate(start));
}
