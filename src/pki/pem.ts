/** PEM, the text form of certificates and keys (RFC 7468). */

import { ExpectedError } from '../kit/errors.ts';

export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** The bytes of the first block with this label. @throws Error if there is none */
export function fromPem(label: string, text: string): Uint8Array {
  const begin = `-----BEGIN ${label}-----`;
  const start = text.indexOf(begin);
  const end = text.indexOf(`-----END ${label}-----`, start);
  if (start < 0 || end < 0) throw new ExpectedError(`there is no PEM block ${label}`);
  return Buffer.from(text.slice(start + begin.length, end), 'base64');
}

/**
 * The bytes of a text that is one block with this label and nothing else. Readers differ in what they pass over before a
 * block and within it, so that of a text with more in it two of them may read two things.
 *
 * @throws ExpectedError where it is not that
 */
export function fromSinglePem(label: string, text: string): Uint8Array {
  const [first, ...lines] = text.replace(/\n+$/, '').split('\n');
  const last = lines.pop();
  const body = lines.join('');
  const bytes = Buffer.from(body, 'base64');
  if (
    first === `-----BEGIN ${label}-----` &&
    last === `-----END ${label}-----` &&
    lines.every((line) => line.length <= 64) &&
    body !== '' &&
    bytes.toString('base64') === body
  )
    return bytes;
  throw new ExpectedError(`it is not exactly one PEM block ${label}`);
}
