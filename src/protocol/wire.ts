/** Reads what crossed the wire: strict about types, bounded in size, depth and length of texts. */
import { MAX_BODY_DEPTH, type RefusalCode } from './exchange.ts';

/** An unacceptable body. `message` is for the log, not for the unknown sender, and quotes nothing of the body. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }

  /** The brand of src/kit/errors.ts; what crosses the wire imports nothing. */
  get expected(): true {
    return true;
  }
}

export type WireObject = Readonly<Record<string, unknown>>;

/** One for all bodies, as making one costs more than reading a small body. */
const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a JSON object from the bytes of a request or an answer.
 *
 * @throws WireError `too-large` beyond `maxBytes`; `bad-request` for invalid UTF-8, deep nesting, bad JSON or
 * no object
 */
export function parseBody(bytes: Uint8Array, maxBytes: number): WireObject {
  if (bytes.length > maxBytes) throw new WireError('too-large', `the body has more than ${maxBytes} bytes`);
  let text: string;
  try {
    text = STRICT_UTF8.decode(bytes);
  } catch {
    throw new WireError('bad-request', 'the body is not valid UTF-8');
  }
  if (depthOf(bytes) > MAX_BODY_DEPTH)
    throw new WireError('bad-request', `the body nests deeper than ${MAX_BODY_DEPTH} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new WireError('bad-request', 'the body is not valid JSON');
  }
  return asObject(value, 'the body');
}

/** How deep brackets nest outside of strings; it stops counting when the depth exceeds the limit. */
function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (inString) {
      if (byte === 0x5c) i += 1;
      else if (byte === 0x22) inString = false;
    } else if (byte === 0x22) inString = true;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > MAX_BODY_DEPTH) return deepest;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return deepest;
}

export function asObject(value: unknown, what: string): WireObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as WireObject;
  throw new WireError('bad-request', `${what} is not an object`);
}

export function list(from: WireObject, key: string, maxItems: number): readonly unknown[] {
  const value = from[key];
  if (!Array.isArray(value)) throw new WireError('bad-request', `${key} is not a list`);
  if (value.length > maxItems) throw new WireError('bad-request', `${key} has more than ${maxItems} items`);
  return value;
}

/** A text of 1 to `max` characters. Control characters become spaces, so that a terminal can show it. */
export function text(from: WireObject, key: string, max: number): string {
  const value = from[key];
  if (typeof value !== 'string' || value.length === 0 || value.length > max || !value.isWellFormed())
    throw new WireError('bad-request', `${key} is not a text of 1 to ${max} characters`);
  return printable(value);
}

/** Like `text`, but possibly empty. */
export function looseText(from: WireObject, key: string, max: number): string {
  return from[key] === '' ? '' : text(from, key, max);
}

export function textMatching(from: WireObject, key: string, pattern: RegExp): string {
  const value = from[key];
  if (typeof value === 'string' && value.length <= 256 && pattern.test(value)) return value;
  throw new WireError('bad-request', `${key} does not have the form that it must have`);
}

/** An integer between `min` and `max`. */
export function integer(from: WireObject, key: string, min: number, max: number): number {
  const value = from[key];
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new WireError('bad-request', `${key} is not an integer from ${min} to ${max}`);
}

export function oneOf<T extends string>(from: WireObject, key: string, values: readonly T[]): T {
  const found = values.find((value) => value === from[key]);
  if (found !== undefined) return found;
  throw new WireError('bad-request', `${key} is none of ${values.join(', ')}`);
}

/** `{ [key]: read() }` if the field is given, else nothing; null counts as absent. */
export function optional<K extends string, T>(
  from: WireObject,
  key: K,
  read: (from: WireObject, key: K) => T,
): { [P in K]?: T } {
  if (from[key] === undefined || from[key] === null) return {};
  return { [key]: read(from, key) } as { [P in K]: T };
}

/** @throws WireError `unsupported-version` with a sentence that names the known version */
export function version<V extends number>(from: WireObject, key: string, known: V): V {
  if (from[key] === known) return known;
  throw new WireError(
    'unsupported-version',
    `${key} is not ${known}: this side speaks version ${known} only; use releases of both sides that share a version`,
  );
}

/**
 * The one cleaner of texts that cross the wire (`visible` is for what goes to a terminal): each character that shows nothing becomes a space. These are controls, line
 * and paragraph separators, formats (writing direction, joiners, the invisible tags of U+E0000), what Unicode calls
 * ignorable (fillers, variation selectors), and private use.
 */
export function printable(value: string): string {
  // Nearly every text is plain ASCII, and each event has a dozen.
  return PLAIN.test(value) ? value : value.replace(INVISIBLE, ' ');
}

const PLAIN = /^[\x20-\x7e]*$/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]/gu;

/** The text's beginning with at most `maxBytes` bytes of UTF-8; `…` stands for the rest. No character is cut in two. */
export function boundedText(value: string, maxBytes: number): string {
  if (Buffer.byteLength(value) <= maxBytes) return value;
  const bytes = Buffer.from(value).subarray(0, maxBytes - 3);
  return `${bytes.toString('utf8').replace(/\ufffd+$/, '')}…`;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** At most `max` bytes, which stand as base64. */
export function bytes(from: WireObject, key: string, max: number): Buffer {
  const value = from[key];
  if (typeof value === 'string' && value.length <= Math.ceil(max / 3) * 4 && BASE64.test(value))
    return Buffer.from(value, 'base64');
  throw new WireError('bad-request', `${key} is not at most ${max} bytes in base64`);
}

export function b64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64');
}
