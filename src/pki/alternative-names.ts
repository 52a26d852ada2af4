import { ipFamily } from '../kit/ip-family.ts';
import { itemsOf, readDer } from './der.ts';

/** A name of subjectAltName (RFC 5280, 4.2.1.6): a host name in lower case, an address as `canonicalIp` writes it. */
export interface AlternativeName {
  readonly kind: 'dns' | 'ip' | 'other';
  readonly value: string;
}

const DNS = 0x82;
const IP = 0x87;
const KINDS: Readonly<Record<number, string>> = { 129: 'an e-mail address', 134: 'a URI' };

/** Reads the extension's value. @throws Error where it is damaged */
export function readAlternativeNames(value: Uint8Array): AlternativeName[] {
  return itemsOf(readDer(value)).map(({ tag, content }) => {
    const text = Buffer.from(content).toString('latin1');
    if (tag === DNS) return { kind: 'dns', value: text.toLowerCase() };
    if (tag !== IP)
      return { kind: 'other', value: KINDS[tag] ?? 'a name that is neither a hostname nor an address' };
    return { kind: 'ip', value: addressOf(content) };
  });
}

function addressOf(content: Uint8Array): string {
  if (content.length === 4) return content.join('.');
  if (content.length !== 16) throw new Error('an address is not 4 or 16 bytes long');
  const groups = Buffer.from(content).toString('hex').match(/.{4}/g) ?? [];
  return canonicalIp(groups.join(':')) ?? '';
}

/** An address as only one text has it: IPv6 as URLs write it, IPv4 within IPv6 as IPv4. Undefined for anything else. */
export function canonicalIp(text: string): string | undefined {
  const family = ipFamily(text);
  if (family === undefined) return undefined;
  if (family === 4) return text.split('.').map(Number).join('.');
  const address = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!mapped) return address;
  const [high = 0, low = 0] = mapped.slice(1).map((group) => Number.parseInt(group, 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
