/** The one document begins with its version, as YAML or as JSON; comments may stand before it. */
const BEGINNING =
  /^(?:[^\S\n]*(?:#[^\n]*|---)?\n)*[^\S\n]*(?:\{\s*"apiVersion"|apiVersion)\s*:\s*["']?slipway\.dev\//;

/** Is a text user data in Slipway's own format, `slipway.dev/...`? */
export function isOwnDocument(text: string): boolean {
  return BEGINNING.test(text.slice(0, 4096));
}

/** Whether a text is one value of JSON (RFC 8259), and nothing but that. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
