/**
 * RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it: machines choose what stands in
 * it.
 */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(cell).join(',')).join('\r\n');
}

function cell(text: string): string {
  const harmless = /^[=+\-@\t\r\n]|^\s+[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n;]|^'|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
