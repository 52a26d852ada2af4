/**
 * Cuts whatever looks like a secret out of other programs' output before it is logged, journalled or shown.
 * This is the second line of defence; the first is that Slipway itself prints no secret.
 *
 * It would rather cut too much, with one exception: it leaves hashes of public keys (`sha256:...`), because
 * people need to compare them.
 */

const MARK = '[redacted]';

/**
 * Each rule replaces secrets within one line; `$1` is the text before the secret that may stay. Lines can be
 * arbitrarily long, so from any position a pattern may look ahead only as far as it consumes or up to a
 * bound; otherwise the time grows with the square of the length.
 */
const RULES: { pattern: RegExp; replacement: string }[] = [
  // JSON Web Tokens, also the detached form in cluster-info (`header..signature`).
  {
    pattern: /(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{5,}\.[\w-]*\.[\w-]{10,}/g,
    replacement: `$1${MARK}`,
  },
  // Base64 of a PEM block with "PRIVATE KEY" ("-----BEGIN " is LS0tLS1CRUdJTi in base64).
  { pattern: /LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{16,}={0,2}/g, replacement: MARK },
  // Everything after a header or setting that carries credentials.
  {
    pattern:
      /\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer|basic|negotiate|token|aws4-hmac-sha256)\s+)[^"'\r\n]+/gi,
    replacement: `$1${MARK}`,
  },
  { pattern: /\b(bearer\s+)[\w.~+/=-]{8,}/gi, replacement: `$1${MARK}` },
  // --certificate-key VALUE, certificateKey: VALUE.
  { pattern: /(certificate-?key["']?[\s:="']{1,4})[0-9a-f]{32,}/gi, replacement: `$1${MARK}` },
  // password=..., "passwd": "...", client_secret: ...; also in connection strings and command lines.
  {
    pattern:
      /((?:password|passwd|passphrase|client[_-]?secret|secret[_-]?access[_-]?key|api[_-]?key|access[_-]?token)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s"',;&]+)/gi,
    replacement: `$1${MARK}`,
  },
  {
    pattern: /(--[\w-]{0,64}(?:password|passwd|passphrase|client-secret)\s+)("[^"]*"|'[^']*'|\S+)/gi,
    replacement: `$1${MARK}`,
  },
  // Credentials of registries, as in the settings of Docker and containerd.
  {
    pattern:
      /((?:\bauth["']?\s{0,4}[:=]\s{0,4}["']|(?:identitytoken|registrytoken|dockerconfigjson)["']?\s{0,4}[:=]\s{0,4}["']?))[A-Za-z0-9+/_.-]{8,}={0,2}/g,
    replacement: `$1${MARK}`,
  },
  // Hashes of passwords, as crypt(3) writes them.
  { pattern: /\$(?:[156y]|gy|7|2[abxy])\$[^\s:'"]{8,}/g, replacement: MARK },
  // Validation errors quote the field's value, which may be a mistyped token.
  { pattern: /(token\S{0,200}: Invalid value: )"[^"]+"/gi, replacement: `$1"${MARK}"` },
  { pattern: /(could not construct token string for token: )\S+/gi, replacement: `$1${MARK}` },
  { pattern: /(bootstrap token )"[^"]+"/gi, replacement: `$1"${MARK}"` },
  // JSON decoders quote the text around an error, which may be the end of a secret.
  { pattern: /(error found in #\d+ byte of ).*$/g, replacement: `$1${MARK}` },
  // user:password@host in URLs; the user name may stay.
  { pattern: /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"']*:)[^\s/@"']+(?=@)/gi, replacement: `$1${MARK}` },
  // Bootstrap tokens: the id is public, the part after the dot is the secret.
  { pattern: /(?<![\w.])([a-z0-9]{6})\.[a-z0-9]{16}(?![\w])/g, replacement: `$1.${MARK}` },
];

const PEM_BEGIN = /-----BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,40})-----/;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z0-9 ]{0,40}-----/;
const KEY_FOLLOWS = /certificate[ -]?key:\s*$/i;
/** 32 bytes in hex at the end of a line, after the prefix that a log may add. */
const LONE_KEY = /(?<![^\s"'])[0-9a-f]{64}(?=["']?\s*$)/;
/** Lines of the other stream may come in between. */
const KEY_WITHIN_LINES = 5;
/** A PEM body has at most this many lines; beyond them, a block without an end counts as over. */
const PEM_MAX_LINES = 400;

/**
 * Cuts secrets out of a text line by line. It remembers earlier lines so that it can drop the body of a
 * private key, so use one per stream.
 */
export class Redactor {
  private pemLines = 0;
  /** Lines in which a certificate key may still follow that was announced. */
  private keyLines = 0;

  /** The line without its secrets; undefined if the whole line belongs to a private key. */
  line(text: string): string | undefined {
    let rest = this.withoutKey(text);
    if (this.pemLines > 0) {
      const end = PEM_END.exec(rest);
      if (end === null) {
        // If the block was cut off, the next ordinary line must stay. No PEM line has a space.
        if (this.pemLines++ < PEM_MAX_LINES && looksLikePemBody(rest)) return undefined;
        this.pemLines = 0;
      } else {
        this.pemLines = 0;
        rest = rest.slice(end.index + end[0].length);
        if (rest.trim() === '') return undefined;
      }
    }
    return this.outsideOfPem(rest);
  }

  /** kubeadm announces the certificate key in one line and prints it in the next. */
  private withoutKey(text: string): string {
    const isAnnounced = KEY_FOLLOWS.test(text);
    const hidden = this.keyLines > 0 ? text.replace(LONE_KEY, MARK) : text;
    if (isAnnounced) this.keyLines = KEY_WITHIN_LINES;
    else this.keyLines = hidden === text ? Math.max(0, this.keyLines - 1) : 0;
    return hidden;
  }

  private outsideOfPem(text: string): string {
    let shown = '';
    for (let rest = text; ; ) {
      const begin = PEM_BEGIN.exec(rest);
      if (begin === null) return shown + redactLine(rest);
      shown += `${redactLine(rest.slice(0, begin.index))}[redacted ${begin[1]}]`;
      rest = rest.slice(begin.index + begin[0].length);
      const end = PEM_END.exec(rest);
      // The block continues on the next lines, or it is JSON with escaped line ends that was cut off.
      if (end === null) {
        this.pemLines = 1;
        return shown;
      }
      rest = rest.slice(end.index + end[0].length);
    }
  }
}

function looksLikePemBody(line: string): boolean {
  const body = line.replace(/^[\s>|]+/, '').trimEnd();
  return /^[A-Za-z0-9+/=\\]*$/.test(body) || /^(Proc-Type|DEK-Info|Comment):/i.test(body);
}

function redactLine(text: string): string {
  let result = text;
  for (const { pattern, replacement } of RULES) result = result.replace(pattern, replacement);
  return result;
}

/** Cuts secrets out of a whole text; drops the lines of a private key's body. */
export function redact(text: string): string {
  const redactor = new Redactor();
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const clean = redactor.line(line);
    if (clean !== undefined) kept.push(clean);
  }
  return kept.join('\n');
}
