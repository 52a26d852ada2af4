/** Whether a text is one value of JSON (RFC 8259), and nothing but that. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
