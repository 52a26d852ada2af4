import { createDecipheriv, createHash } from 'node:crypto';
import { at, textAt } from '../../../kit/json.ts';

/** A JWE in compact form (RFC 7516) whose content key comes of a key agreement (ECDH-ES). */
export interface CompactJwe {
  header: unknown;
  /** The header as it stands, which the tag covers too. */
  protected: string;
  iv: Buffer;
  ciphertext: Buffer;
  tag: Buffer;
}

const PART = /^[A-Za-z0-9_-]*$/;

/** @returns undefined where it is none, or another kind of one */
export function readCompactJwe(text: string): CompactJwe | undefined {
  const parts = text.trim().split('.');
  const [head = '', key = '', iv = '', ciphertext = '', tag = ''] = parts;
  if (parts.length !== 5 || key !== '' || !parts.every((part) => PART.test(part))) return undefined;
  const bytes = (part: string) => Buffer.from(part, 'base64url');
  try {
    const header: unknown = JSON.parse(bytes(head).toString('utf8'));
    if (textAt(header, 'alg') !== 'ECDH-ES' || textAt(header, 'enc') !== 'A256GCM') return undefined;
    if (at(header, 'zip') !== undefined || at(header, 'crit') !== undefined) return undefined;
    const jwe = { header, protected: head, iv: bytes(iv), ciphertext: bytes(ciphertext), tag: bytes(tag) };
    return jwe.iv.length === 12 && jwe.tag.length === 16 ? jwe : undefined;
  } catch {
    return undefined;
  }
}

/** @param shared the x of the point that both sides agree upon. @returns undefined if that is another one */
export function decryptJwe(jwe: CompactJwe, shared: Buffer): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', contentKey(jwe, shared), jwe.iv, { authTagLength: 16 });
  decipher.setAAD(Buffer.from(jwe.protected, 'latin1')).setAuthTag(jwe.tag);
  try {
    return Buffer.concat([decipher.update(jwe.ciphertext), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Concat KDF of RFC 7518, 4.6.2, for a key of 256 bits: one round. */
function contentKey({ header }: CompactJwe, shared: Buffer): Buffer {
  const sized = (bytes: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const party = (name: string) => sized(Buffer.from(textAt(header, name) ?? '', 'base64url'));
  return createHash('sha256')
    .update(Buffer.of(0, 0, 0, 1))
    .update(shared)
    .update(sized(Buffer.from('A256GCM')))
    .update(party('apu'))
    .update(party('apv'))
    .update(Buffer.of(0, 0, 1, 0))
    .digest();
}
