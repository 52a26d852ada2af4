import { omitUndefined } from '../../../kit/json.ts';
import type { Position } from '../../document/document.ts';
import type { Diagnostics } from '../../text/diagnostics.ts';
import { MAX_MIME_DEPTH, MAX_MIME_HEADERS, MAX_MIME_PARTS } from '../../text/limits.ts';

/** A leaf of a MIME multipart, still encoded. */
export interface MimeLeaf {
  /** Lower-case content type; default `text/plain`. */
  type: string;
  charset?: string;
  /** Lower-case Content-Transfer-Encoding; '' if missing. */
  encoding: string;
  fileName?: string;
  /** The body as latin-1, so that one character is one byte. */
  body: string;
  /** How many lines of the message are above the body. */
  linesAbove: number;
  /** How the part is to be merged into those before it. */
  mergeType?: { text: string; where: Position };
  /** The header `Launch-Index`, unread. */
  launchIndex?: string;
}

/** A file name of RFC 2231, such as `utf-8''a%20b`; Python writes those that are not ASCII so. */
function extended(name: string | undefined): string | undefined {
  try {
    return name === undefined ? undefined : decodeURIComponent(name.replace(/^[^']*'[^']*'/, ''));
  } catch {
    return undefined;
  }
}

/**
 * Splits a MIME message (RFC 2045, 2046) into its leaves, in order and through nested containers. Like
 * Python's parser, it tolerates a missing end boundary.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function readMime(bytes: Buffer, diagnostics: Diagnostics): MimeLeaf[] | undefined {
  const text = bytes.toString('latin1');
  const leaves: MimeLeaf[] = [];
  const reader = new MimeReader(text, leaves, diagnostics);
  return reader.entity(0, text.length, 0) ? leaves : undefined;
}

class MimeReader {
  readonly #text: string;
  readonly #leaves: MimeLeaf[];
  readonly #diagnostics: Diagnostics;
  #entities = 0;
  /** The number of lines up to an offset; entities come in ascending order, so no line is counted twice. */
  #counted = { offset: 0, lines: 0 };

  constructor(text: string, leaves: MimeLeaf[], diagnostics: Diagnostics) {
    this.#text = text;
    this.#leaves = leaves;
    this.#diagnostics = diagnostics;
  }

  entity(start: number, end: number, depth: number): boolean {
    this.#entities += 1;
    if (depth > MAX_MIME_DEPTH || this.#entities > MAX_MIME_PARTS) {
      const message = `The MIME multipart has more than ${MAX_MIME_PARTS} parts or is nested more than ${MAX_MIME_DEPTH} levels deep.`;
      this.#diagnostics.error('UserDataTooLarge', message, this.#position(start));
      return false;
    }
    const headers = readHeaders(this.#text, start, end);
    if (headers === undefined) {
      this.#diagnostics.error(
        'UserDataUndecodable',
        'The headers of a MIME part are too long; an empty line must follow them.',
        this.#position(start),
      );
      return false;
    }
    const { fields, offsets, bodyStart } = headers;
    const contentType = readParameters(fields.get('content-type'));
    if (contentType.value.startsWith('multipart/'))
      return this.#multipart(contentType, bodyStart, end, depth);
    const disposition = readParameters(fields.get('content-disposition'));
    const fileName =
      disposition.parameters.get('filename') ??
      extended(disposition.parameters.get('filename*')) ??
      contentType.parameters.get('name');
    const [mergeName = ''] = ['merge-type', 'x-merge-type'].filter((name) => fields.get(name));
    const mergeText = fields.get(mergeName);
    const merging =
      mergeText === undefined
        ? undefined
        : { text: mergeText, where: this.#position(offsets.get(mergeName) ?? start) };
    const charset = contentType.parameters.get('charset');
    const launchIndex = fields.get('launch-index');
    this.#leaves.push({
      // As Python's parser has it.
      type: /^[^/]+\/[^/]+$/.test(contentType.value) ? contentType.value : 'text/plain',
      ...(charset === undefined ? {} : { charset }),
      encoding: readParameters(fields.get('content-transfer-encoding')).value,
      ...(fileName === undefined ? {} : { fileName }),
      body: this.#text.slice(bodyStart, end),
      linesAbove: this.#linesAbove(bodyStart),
      ...omitUndefined({ mergeType: merging, launchIndex }),
    });
    return true;
  }

  #multipart(contentType: Parameters, start: number, end: number, depth: number): boolean {
    const boundary = contentType.parameters.get('boundary');
    if (boundary === undefined || boundary === '') {
      this.#diagnostics.error(
        'UserDataUndecodable',
        'The MIME multipart has no boundary parameter.',
        this.#position(start),
      );
      return false;
    }
    let partStart: number | undefined;
    let at = start;
    while (at < end) {
      const next = lineEnd(this.#text, at, end);
      const mark = this.#boundaryAt(at, next, boundary);
      if (mark !== undefined) {
        if (partStart !== undefined && !this.entity(partStart, this.#beforeBreak(partStart, at), depth + 1))
          return false;
        if (mark === 'close') return true;
        partStart = next;
      }
      at = next;
    }
    const where = this.#position(start);
    if (partStart === undefined) {
      this.#diagnostics.error(
        'UserDataUndecodable',
        'The MIME multipart does not contain its boundary.',
        where,
      );
      return false;
    }
    // Python's parser takes it, and so does cloud-init; a document that was cut off looks the same.
    const message = 'The MIME multipart has no closing boundary; make sure that it is not truncated.';
    this.#diagnostics.warn('UserDataUndecodable', message, where);
    return this.entity(partStart, end, depth + 1);
  }

  #boundaryAt(at: number, next: number, boundary: string): 'open' | 'close' | undefined {
    if (!this.#text.startsWith(`--${boundary}`, at)) return undefined;
    const rest = this.#text.slice(at + 2 + boundary.length, next).trimEnd();
    if (rest === '') return 'open';
    return rest === '--' ? 'close' : undefined;
  }

  /** The line break before a boundary belongs to the boundary. */
  #beforeBreak(start: number, end: number): number {
    let before = end;
    if (before > start && this.#text[before - 1] === '\n') before -= 1;
    if (before > start && this.#text[before - 1] === '\r') before -= 1;
    return before;
  }

  #position(offset: number): { line: number; column: number } {
    return { line: this.#linesAbove(offset) + 1, column: 1 };
  }

  #linesAbove(offset: number): number {
    let { offset: from, lines } = this.#counted;
    if (offset < from) [from, lines] = [0, 0];
    for (
      let at = this.#text.indexOf('\n', from);
      at !== -1 && at < offset;
      at = this.#text.indexOf('\n', at + 1)
    ) {
      lines += 1;
    }
    this.#counted = { offset, lines };
    return lines;
  }
}

/** The headers of a MIME entity by lower-case name, and where its body begins. The first of equals counts. */
interface Headers {
  fields: Map<string, string>;
  /** Where each of them begins. */
  offsets: Map<string, number>;
  bodyStart: number;
}

/** A header value of the form `value; name=x; other="y"`. */
interface Parameters {
  /** Lower case. */
  value: string;
  parameters: Map<string, string>;
}

/**
 * Reads the headers at the start of `text` (bytes as latin-1) and joins folded lines (RFC 5322, 2.2.3).
 *
 * @returns undefined if they are too long
 */
function readHeaders(text: string, start: number, end: number): Headers | undefined {
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
function lineEnd(text: string, at: number, end: number): number {
  const newline = text.indexOf('\n', at);
  return newline === -1 || newline >= end ? end : newline + 1;
}

/** Splits a header value into main value and parameters (RFC 2045, 5.1; quoted strings with backslashes). */
function readParameters(header: string | undefined): Parameters {
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
