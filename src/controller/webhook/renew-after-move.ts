import { type MachineToken, readMachineToken } from '../attest/machine-token.ts';
import { Refused } from '../attest/refused.ts';
import type { InsertedFile } from './insert/inserted-file.ts';
import { reportFiles } from './report-files.ts';

/** Base64 of a Machine's token, as it was inserted: `slwm.` and what follows. A token has 256 characters at most. */
const TOKEN = /c2x3bS[4-7][A-Za-z0-9+/]{40,360}={0,2}/g;
/** Base64 of the settings, as they were inserted: what all of them begin with. */
const SETTINGS = new RegExp(`${beginningOfSettings()}[A-Za-z0-9+/]{0,65536}={0,2}`, 'g');

/** A genuine token in bootstrap data. */
interface FormerToken {
  readonly token: MachineToken;
  /** The base64 text that holds it. */
  readonly text: string;
}

/**
 * The token that this controller once put into the data; looked for without reading the data, because anybody may write them.
 *
 * @param keys all that sign tokens and count
 * @returns undefined where there is none, or several, or it has expired
 */
export function formerToken(value: Uint8Array, keys: readonly Uint8Array[]): FormerToken | undefined {
  const [text, ...more] = Buffer.from(value).toString('latin1').match(TOKEN) ?? [];
  if (text === undefined || more.length > 0) return undefined;
  try {
    const token = readMachineToken(Buffer.from(text, 'base64').toString('latin1').trim(), keys);
    return token && token.expiresAt > Date.now() ? { token, text } : undefined;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** The bootstrap data with the present settings and token in the place of those before; everything else stays as it is, to the letter. */
export function withPresent(
  value: Uint8Array,
  former: FormerToken,
  [settings, token]: readonly InsertedFile[],
): string {
  // Each byte is one character, so that nothing else changes, whatever it is.
  const before = Buffer.from(value).toString('latin1');
  const renewed = before.replace(former.text, () => base64(token?.content ?? ''));
  const [known, ...more] = renewed.match(SETTINGS) ?? [];
  const after =
    known === undefined || more.length > 0
      ? renewed
      : renewed.replace(known, () => base64(settings?.content ?? ''));
  return Buffer.from(after, 'latin1').toString('utf8');
}

/** As far as no address stands in it, in whole groups of three bytes. */
function beginningOfSettings(): string {
  const [settings] = reportFiles({ endpoints: [], authorities: '', token: '' });
  const text = settings?.content ?? '';
  const constant = text.slice(0, text.indexOf('['));
  return base64(constant.slice(0, constant.length - (constant.length % 3))).replaceAll('+', '\\+');
}

function base64(content: string): string {
  return Buffer.from(content).toString('base64');
}
