import { gzipSync } from 'node:zlib';
import { gunzip } from '../../kit/bytes/gunzip.ts';

/** Fits wherever a secret did: in tokens and hexadecimal keys, in base64, and as text (no number) of YAML. */
const FILL = 'a';
const SHORTEST = 6;
const MOST_BYTES = 64 * 1024 * 1024;
/** As many wrappings as user data may have. */
const MOST_LAYERS = 5;
/** base64, over several lines too. */
const ENCODED = /[A-Za-z0-9+/]{16,}(?:\r?\n[ \t]*[A-Za-z0-9+/]{4,})*={0,2}/g;
const COMMENT_FLAG = 0x10;
const HEADER_BYTES = 10;

/**
 * The same bytes with each secret filled in, also where base64 or gzip wraps it. Nothing moves: what was YAML, a script or
 * a pickle of Python stays one. The same bytes if they hold none of the secrets.
 */
export function overwriteSecrets(bytes: Buffer, secrets: readonly string[]): Buffer {
  const forms = [...new Set(secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf))];
  // The longest first, so that none is left of which another is a part.
  return covered(
    bytes,
    forms.sort((a, b) => b.length - a.length),
    MOST_LAYERS,
  );
}

function covered(bytes: Buffer, forms: readonly string[], layers: number): Buffer {
  if (layers === 0) return bytes;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return inGzip(bytes, forms, layers);
  const before = bytes.toString('latin1');
  let text = before.replace(ENCODED, (run) => inBase64(run, forms, layers));
  for (const form of forms) text = text.replaceAll(form, FILL.repeat(form.length));
  return text === before ? bytes : Buffer.from(text, 'latin1');
}

/** Text as its bytes are, one a character, and as JSON and URLs write it; and as Python does, which writes ASCII alone. */
function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const inJson = escaped.replace(/[^ -~]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4).toLowerCase()}`);
  const inYaml = escaped.replace(/[^ -~]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : code > 0xff ? `\\u${hex(code, 4)}` : `\\x${hex(code, 2)}`;
  });
  return [secret, escaped, inJson, inYaml, encodeURIComponent(secret.toWellFormed())].map((form) =>
    Buffer.from(form).toString('latin1'),
  );
}

function hex(code: number, digits: number): string {
  return code.toString(16).toUpperCase().padStart(digits, '0');
}

/** Whole groups of four only: what is left over may be the next word. */
function inBase64(run: string, forms: readonly string[], layers: number): string {
  const compact = run.replace(/\s+/g, '');
  const encoded = compact.slice(0, compact.length - (compact.length % 4));
  const decoded = Buffer.from(encoded, 'base64');
  const black = covered(decoded, forms, layers - 1);
  if (black === decoded || black.length !== decoded.length) return run;
  const filled = black.toString('base64') + compact.slice(encoded.length);
  let at = 0;
  return run.replace(/\S/g, () => filled[at++] ?? '');
}

/** The text in gzip without its secrets; a comment fills it up to the length that it had. */
function inGzip(bytes: Buffer, forms: readonly string[], layers: number): Buffer {
  const plain = unzipped(bytes);
  const black = plain === undefined ? undefined : covered(plain, forms, layers - 1);
  if (black === undefined || black === plain) return bytes;
  const zipped = gzipSync(black, { level: 9 });
  const missing = bytes.length - zipped.length;
  if (missing <= 0) return zipped;
  const comment = Buffer.concat([Buffer.alloc(missing - 1, ' '), Buffer.alloc(1)]);
  const padded = Buffer.concat([zipped.subarray(0, HEADER_BYTES), comment, zipped.subarray(HEADER_BYTES)]);
  padded[3] = COMMENT_FLAG;
  return padded;
}

/** Something else that begins so, or damaged: nobody can read a secret out of it. */
function unzipped(bytes: Buffer): Buffer | undefined {
  const found = gunzip(bytes, MOST_BYTES);
  return 'bytes' in found ? found.bytes : undefined;
}
