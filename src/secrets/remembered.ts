import { MARK } from './rules.ts';

/** A shorter word would be cut out of half of what is printed. */
const SHORTEST = 6;
/** What is left of a base64 form without its ends, which depend on the neighbours; a shorter one may be anything. */
const SHORTEST_ENCODED = 8;
/** In a secret of several lines (a key), lines of this length count; a shorter one may stand anywhere. */
const SHORTEST_LINE = 16;

/** As they were given; what one is in another form may be a secret of its own. */
const known = new Set<string>();
/** What is cut out, by its length. */
const formsOfLength = new Map<number, Set<string>>();
/** These lengths, the longest first, so that none is left of which another is a part. */
let lengths: readonly number[] = [];
/**
 * Not written down yet in any form, since no text was long enough to hold one. Most texts are shorter than the line of a key,
 * and to write down the forms of all its lines took longer than the files of a bootstrap.
 */
let waiting: string[] = [];
/** No form is shorter than the line itself. */
let shortestWaiting = Number.POSITIVE_INFINITY;
/** Not in base64 yet: each with how long a text must be to hold it so, the longest last. */
const unencoded: { readonly line: string; readonly least: number }[] = [];

/**
 * Secrets that this process has been given: from now on `redact` cuts them out of every text, whatever they look like. As
 * they are, and as programs tend to write them: escaped in JSON, encoded for a URL, in base64 (alone or within
 * something longer, such as `user:password`).
 */
export function rememberSecrets(secrets: Iterable<string>): void {
  for (const secret of secrets) {
    const text = secret.trim();
    if (!text.includes('\n')) keep(text, SHORTEST);
    else for (const line of text.split('\n')) keep(line.trim(), SHORTEST_LINE);
  }
}

function keep(line: string, least: number): void {
  if (line.length < least || known.has(line)) return;
  known.add(line);
  waiting.push(line);
  shortestWaiting = Math.min(shortestWaiting, line.length);
}

/** The text without what was remembered. */
export function redactRemembered(text: string): string {
  if (text.length >= shortestWaiting) writeDownUpTo(text.length);
  encodeUpTo(text.length);
  let rest = text;
  for (const length of lengths) {
    if (length > rest.length) continue;
    for (const form of formsOfLength.get(length) ?? [])
      if (rest.includes(form)) rest = rest.replaceAll(form, MARK);
  }
  return rest;
}

/** Writes down what a text of this length may hold as it is. */
function writeDownUpTo(length: number): void {
  const due = waiting.filter((line) => line.length <= length);
  waiting = waiting.filter((line) => line.length > length);
  shortestWaiting = waiting.reduce((least, line) => Math.min(least, line.length), Number.POSITIVE_INFINITY);
  for (const line of due) writeDown(line);
  unencoded.sort((a, b) => a.least - b.least);
  sortLengths();
}

function writeDown(line: string): void {
  add(line);
  if (!PLAIN.test(line)) {
    const url = encodeURIComponent(line.toWellFormed());
    for (const form of [JSON.stringify(line).slice(1, -1), url, url.replaceAll('%20', '+')]) add(form);
  }
  // The shortest core is that of bytes that begin as the second of three.
  unencoded.push({ line, least: coreAt(1, Buffer.byteLength(line)).length });
}

/** The same in JSON and in a URL. */
const PLAIN = /^[\w.~-]*$/;

function add(form: string): void {
  const others = formsOfLength.get(form.length);
  if (others) others.add(form);
  else formsOfLength.set(form.length, new Set([form]));
}

function sortLengths(): void {
  lengths = [...formsOfLength.keys()].sort((a, b) => b - a);
}

/** Remembers in base64 too what a text of this length may hold. */
function encodeUpTo(length: number): void {
  if (length < (unencoded[0]?.least ?? Number.POSITIVE_INFINITY)) return;
  const longer = unencoded.findIndex(({ least }) => least > length);
  for (const { line } of unencoded.splice(0, longer < 0 ? unencoded.length : longer))
    for (const form of base64Of(Buffer.from(line))) add(form);
  sortLengths();
}

/** Where bytes can begin among the three that base64 takes at a time. */
const OFFSETS = [0, 1, 2];

/** What of the base64 text hangs on these bytes alone. */
function coreAt(offset: number, bytes: number): { start: number; end: number; length: number } {
  const start = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes) * 8) / 6);
  return { start, end, length: end - start };
}

/** What every base64 text has in it that holds these bytes, at each of the three places where they can begin. */
function base64Of(bytes: Buffer): string[] {
  const moved = Buffer.concat([Buffer.alloc(OFFSETS.length), bytes]);
  return OFFSETS.flatMap((offset) => {
    const { start, end, length } = coreAt(offset, bytes.length);
    if (length < SHORTEST_ENCODED) return [];
    const core = moved.toString('base64url', OFFSETS.length - offset).slice(start, end);
    return [core, core.replaceAll('-', '+').replaceAll('_', '/')];
  });
}
