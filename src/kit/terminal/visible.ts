/** Most texts; V8 takes 0.3 ms for the pattern that finds what is not harmless. */
const PLAIN = /^[ -~]*$/;

/**
 * The text as one harmless line: a placeholder replaces each character that a terminal would act upon or not
 * show (escapes and other controls, marks that change the writing direction, line breaks).
 */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '\u{fffd}');
}

/** The same, over several lines. */
const PLAIN_LINES = /^[ -~\t\n]*$/;

/** Colours and movements of the cursor (ECMA-48 control sequences), which would only leave litter behind. */
const SEQUENCE = new RegExp(`(?:${'\u{1b}'}\\[|${'\u{9b}'})[0-?]{0,32}[ -/]{0,8}[@-~]`, 'g');

/** What programs print, harmless: lines and tabs stay, colours go, and for the rest it is as `visible` makes it. */
export function visibleOutput(text: string): string {
  if (PLAIN_LINES.test(text)) return text;
  return text.replace(SEQUENCE, '').replace(/[^\t\n]+/g, visible);
}

/** The same value, with every text in it, however deep, as `visibleOutput` leaves it. */
export function visibleTexts<T>(value: T): T {
  return mapTexts(value, visibleOutput);
}

/** The same value with every text in it mapped, however deep, each with the key under which it stands; names of fields stay. What nothing changes in is the same object. */
export function mapTexts<T>(value: T, map: (text: string, key: string) => string): T {
  const mapped = (inner: unknown, key: string): unknown => {
    if (typeof inner === 'string') return map(inner, key);
    if (typeof inner !== 'object' || inner === null) return inner;
    const before = inner as Record<string, unknown>;
    let after: Record<string, unknown> | undefined;
    for (const key of Object.keys(before)) {
      const deeper = mapped(before[key], key);
      if (deeper === before[key]) continue;
      after ??= (Array.isArray(inner) ? [...inner] : { ...before }) as Record<string, unknown>;
      after[key] = deeper;
    }
    return after ?? inner;
  };
  return mapped(value, '') as T;
}

/** The value as JSON that a terminal shows as it is: what `visible` replaces, JSON can spell. */
export function visibleJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n' ? character : spelt(character),
  );
}

/** `\u202e`; two of them beyond U+FFFF. */
function spelt(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
