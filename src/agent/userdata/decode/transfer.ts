/** Undoes a MIME body's Content-Transfer-Encoding (RFC 2045, 6). @returns undefined if it cannot */
export function undoTransferEncoding(body: string, encoding: string): Buffer | undefined {
  switch (encoding) {
    case '':
    case '7bit':
    case '8bit':
    case 'binary':
      return Buffer.from(body, 'latin1');
    case 'base64':
      return base64(body);
    case 'quoted-printable':
      return quotedPrintable(body);
    default:
      return undefined;
  }
}

function base64(body: string): Buffer | undefined {
  const compact = body.replace(/\s+/g, '');
  return /^[A-Za-z0-9+/]*={0,2}$/.test(compact) && compact.replace(/=+$/, '').length % 4 !== 1
    ? Buffer.from(compact, 'base64')
    : undefined;
}

/** In each line: blanks at the end vanish, `=` at the end joins the next line, `=XX` is a byte. */
function quotedPrintable(body: string): Buffer {
  const lines = body.split('\n').map((line, index, all) => {
    const ending = index === all.length - 1 ? '' : line.endsWith('\r') ? '\r\n' : '\n';
    const text = line.trimEnd();
    return text.endsWith('=') ? text.slice(0, -1) : text + ending;
  });
  const bytes = lines
    .join('')
    .replace(/=([0-9A-Fa-f]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
