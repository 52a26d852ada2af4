import { MAX_MIME_HEADERS } from '../../text/limits.ts';

/** The headers of a MIME entity by lower-case name, and where its body begins. The first of equals counts. */
interface Headers {
  fields: Map<string, string>;
  /** Where each of them begins. */
  offsets: Map<string, number>;
  bodyStart: number;
}

/** A header value of the form `value; name=x; other="y"`. */
export interface Parameters {
  /** Lower case. */
  value: string;
  parameters: Map<string, string>;
}

/**
 * Reads the headers at the start of `text` (bytes as latin-1) and joins folded lines (RFC 5322, 2.2.3).
 *
 * @returns undefined if they are too long
 */
export function readHeaders(text: string, start: number, end: number): Headers | undefined {
  const fields = new Map<string, string>();
  const offsets = new Map<string, number>();
  let at = start;
  let name: string | undefined;
  while (at < end) {
    if (at - start > MAX_MIME_HEADERS) return undefined;
    const next = lineEnd(text, at, end);
    if (next - at > MAX_MIME_HEADERS) return undefined;
    const line = text.slice(at, next).replace(/\r?\n$/, '');
    if (line === '') return { fields, offsets, bodyStart: next };
    if (/^[ \t]/.test(line) && name !== undefined) {
      fields.set(name, `${fields.get(name) ?? ''} ${line.trim()}`);
    } else {
      const colon = line.indexOf(':');
      // This is no header line: the body begins here without an empty line. The `From ` line of mailboxes is
      // skipped.
      if (colon <= 0 || /\s/.test(line.slice(0, colon))) {
        if (!(at === start && line.startsWith('From '))) return { fields, offsets, bodyStart: at };
      } else {
        name = line.slice(0, colon).toLowerCase();
        if (!fields.has(name)) {
          fields.set(name, line.slice(colon + 1).trim());
          offsets.set(name, at);
        }
      }
    }
    at = next;
  }
  return { fields, offsets, bodyStart: end };
}

/** Offset after the line break that ends the line at `at`. */
export function lineEnd(text: string, at: number, end: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 || newline >= end ? end : newline + 1;
}

/** Splits a header value into main value and parameters (RFC 2045, 5.1; quoted strings with backslashes). */
export function readParameters(header: string | undefined): Parameters {
  const text = header ?? '';
  const semicolon = text.indexOf(';');
  const value = (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  const parameters = new Map<string, string>();
  const pattern = /;\s*([^\s=;"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gs;
  for (const [, name = '', quoted, bare] of text.matchAll(pattern)) {
    const key = name.toLowerCase();
    if (!parameters.has(key))
      parameters.set(key, quoted === undefined ? (bare ?? '') : quoted.replace(/\\(.)/gs, '$1'));
  }
  return { value, parameters };
}
