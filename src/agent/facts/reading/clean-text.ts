/** No field of SMBIOS says more in so many characters. */
const MOST_CHARACTERS = 128;

/** What makers leave in a field that they did not fill in. */
const PLACEHOLDERS = [
  /^to be filled( by|$)/i,
  /^(system |chassis |base ?board |board |product )?(product name|manufacturer|vendor|version|serial( number)?|sku( number)?|uuid|asset tag)$/i,
  /^(default string|not (specified|applicable|available|present|provided)|no (asset )?(information|tag)|none|null|n\/a|unknown|undefined|invalid|empty|oem|o\.e\.m\.?|oem string)$/i,
  /^(0+|x+|f+|[.\-_*?]+)$/i,
  /^(0?123456789|1234567890)$/,
];

/** UUIDs that whole series of machines share, and ones that are none. */
const SHARED_UUIDS =
  /^(0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12}|03000200-0400-0500-0006-000700080009)$/i;

interface Cleaned {
  /** Undefined where nothing is said. */
  value?: string;
  /** What was wrong with it, after "it"; undefined where it is taken as it stands. */
  done?: string;
}

/**
 * A text that firmware, a device or a metadata service gives, as one line that can be shown and compared: valid UTF-8, no
 * control characters, no blanks at its ends. Placeholders count as nothing.
 */
export function cleanText(bytes: Uint8Array): Cleaned {
  const decoded = new TextDecoder().decode(bytes).replace(/\n$/, '');
  const harmless = decoded.replace(/\u{fffd}/gu, '').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ');
  const text = harmless.replace(/\s+/g, ' ').trim();
  if (text === '') return decoded.trim() === '' ? {} : { done: 'held nothing that can be read' };
  if (isPlaceholder(text)) return { done: `said only "${text.slice(0, MOST_CHARACTERS)}"` };
  const value = text.slice(0, MOST_CHARACTERS).trim().toWellFormed();
  if (decoded.includes('\u{fffd}')) return { value, done: 'held bytes that are no UTF-8' };
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(decoded)) return { value, done: 'held control characters' };
  if (text.length > MOST_CHARACTERS) return { value, done: `was cut after ${MOST_CHARACTERS} characters` };
  return { value };
}

function isPlaceholder(text: string): boolean {
  return SHARED_UUIDS.test(text) || PLACEHOLDERS.some((pattern) => pattern.test(text));
}
