const TOKEN = "[!#$%&'*+\\-.0-9A-Z^_`a-z{|}~]";
const PARAMETER = `;${TOKEN}+=(?:${TOKEN}+|"(?:[^"\\\\]|\\\\.)*")`;
const HEAD = new RegExp(`^data:(?:(${TOKEN}+)/${TOKEN}*)?((?:${PARAMETER})*)(;base64)?,`);
const TYPES = /^(?:[xX]-|text|image|audio|video|application|message|multipart)/;
const DATA = /^[!$-;=?-Z_a-z~]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The bytes of a `data:` URL (RFC 2397), as strict as the Go package that Ignition uses: what may not stand in
 * a URL must be escaped, and base64 must be padded.
 *
 * @returns undefined if it cannot be read
 */
export function dataOf(url: string): Buffer | undefined {
  const head = HEAD.exec(url);
  if (!head) return undefined;
  const [whole, type, parameters = '', base64] = head;
  if (type !== undefined && !TYPES.test(type)) return undefined;
  if (/%(?![0-9a-fA-F]{2})/.test(parameters)) return undefined;
  const data = url.slice(whole.length);
  if (base64 !== undefined) {
    const compact = data.replaceAll('\n', '');
    return BASE64.test(compact) ? Buffer.from(compact, 'base64') : undefined;
  }
  if (!DATA.test(data) || /%(?![0-9a-fA-F]{2})/.test(data)) return undefined;
  return unescapeBytes(data);
}

function unescapeBytes(data: string): Buffer {
  if (!data.includes('%')) return Buffer.from(data, 'latin1');
  const bytes = Buffer.alloc(data.length);
  let length = 0;
  for (let at = 0; at < data.length; at += 1) {
    const code = data.charCodeAt(at);
    if (code === 0x25) {
      bytes[length] = Number.parseInt(data.slice(at + 1, at + 3), 16);
      at += 2;
    } else bytes[length] = code;
    length += 1;
  }
  return bytes.subarray(0, length);
}
