/** What says that there is none. */
const NOTHING = new Set([
  ...[
    '',
    'true',
    'false',
    'null',
    'none',
    'nil',
    '<nil>',
    '<none>',
    '<unset>',
    '~',
    '[',
    ']',
    '[]',
    '{',
    '}',
    '{}',
  ],
  ...['|', '|+', '|-', '>', '>+', '>-'],
]);
/** What says where it is. */
const PLACE = /^\/(?:etc|var|run|usr|opt|root|home|tmp)\/[\w./-]*$/i;
/** What an earlier rule has left of it. */
const DONE = /^["'\\]*(?:[a-z0-9]{6}\.|slw[mt]\.)?\[redacted[ A-Z0-9]*\]["'\\]*$/;

/** Is there no secret in the value of a setting (any more)? */
export function isHarmless(value: string): boolean {
  const text = value.trim();
  const bare = text.slice(isQuote(text[0]) ? 1 : 0, text.length > 1 && isQuote(text.at(-1)) ? -1 : undefined);
  return (
    NOTHING.has(bare.toLowerCase()) ||
    (bare.startsWith('/') && PLACE.test(bare)) ||
    (text.includes('[redacted') && DONE.test(text))
  );
}

function isQuote(sign: string | undefined): boolean {
  return sign === '"' || sign === "'";
}
