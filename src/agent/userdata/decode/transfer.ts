/** Bytes of a MIME body after its Content-Transfer-Encoding (RFC 2045, 6) has been undone; undefined when it cannot. */
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

function quotedPrintable(body: string): Buffer {
  const joined = body.replace(/[ \t]+(?=\r?\n|$)/g, '').replace(/=\r?\n/g, '');
  return Buffer.from(
    joined.replace(/=([0-9A-Fa-f]{2})/g, (_whole, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );
}
