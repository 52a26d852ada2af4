import { MARK } from './rules.ts';

/** A shorter word would be cut out of half of what is printed. */
const SHORTEST = 6;
/** What is left of a base64 form without its ends, which depend on the neighbours; a shorter one may be anything. */
const SHORTEST_ENCODED = 8;
/** In a secret of several lines (a key), lines of this length count; a shorter one may stand anywhere. */
const SHORTEST_LINE = 16;

/** By their length, the longest first, so that none is left of which another is a part. */
let remembered: readonly (readonly [length: number, forms: readonly string[]])[] = [];

/**
 * Secrets that this process has been given: from now on `redact` cuts them out of every text, whatever they look like. As
 * they are, and as programs tend to write them: escaped in JSON, encoded for a URL, in base64 (alone or within
 * something longer, such as `user:password`).
 */
export function remember(secrets: Iterable<string>): void {
  const forms = new Set(remembered.flatMap(([, those]) => those));
  for (const secret of secrets) {
    const lines = secret.trim().split(/\r?\n/);
    const least = lines.length > 1 ? SHORTEST_LINE : SHORTEST;
    for (const line of lines.map((text) => text.trim())) {
      if (line.length >= least) for (const form of formsOf(line)) forms.add(form);
    }
  }
  const byLength = new Map<number, string[]>();
  for (const form of forms) {
    const others = byLength.get(form.length);
    if (others) others.push(form);
    else byLength.set(form.length, [form]);
  }
  remembered = [...byLength].sort(([a], [b]) => b - a);
}

/** The text without what was remembered. */
export function withoutRemembered(text: string): string {
  let rest = text;
  for (const [length, forms] of remembered) {
    if (length > rest.length) continue;
    for (const form of forms) if (rest.includes(form)) rest = rest.replaceAll(form, MARK);
  }
  return rest;
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  return [secret, escaped, url, url.replaceAll('%20', '+'), ...base64Of(Buffer.from(secret))];
}

/** What every base64 text has in it that holds these bytes, at each of the three places where they can begin. */
function base64Of(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url');
    const bits = (offset + bytes.length) * 8;
    const core = text.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    if (core.length < SHORTEST_ENCODED) return [];
    return [core, core.replaceAll('-', '+').replaceAll('_', '/')];
  });
}
