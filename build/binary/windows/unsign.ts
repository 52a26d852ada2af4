import { readFileSync, writeFileSync } from 'node:fs';

/** Offsets in a Windows program, from its PE header and from the optional header behind that. */
const PE_AT = 0x3c;
const OPTIONAL = 24;
const PE32_PLUS = 0x20b;
const CHECKSUM = 64;
/** The fifth directory: where the signatures lie, as an offset in the file, and how long they are. */
const SIGNATURES = 112 + 4 * 8;

/**
 * Copies a Windows program without its signature. What is injected into it makes the signature of Node.js invalid, which
 * Windows shows as a program that somebody has tampered with; one without a signature is merely unsigned.
 *
 * @throws Error where the file is no 64-bit Windows program, or something lies behind its signature
 */
export function unsignBinary(from: string, to: string): void {
  writeFileSync(to, unsigned(readFileSync(from)));
}

/** `content` without its signature. @throws Error as `unsignBinary` */
export function unsigned(content: Buffer): Buffer {
  const at = content.length > PE_AT + 4 ? content.readUInt32LE(PE_AT) : 0;
  const header = at + OPTIONAL;
  if (
    content.subarray(0, 2).toString('latin1') !== 'MZ' ||
    content.length < header + SIGNATURES + 8 ||
    content.readUInt32LE(at) !== 0x4550 ||
    content.readUInt16LE(header) !== PE32_PLUS
  )
    throw new Error('not a 64-bit Windows program');
  const [offset, length] = [0, 4].map((part) => content.readUInt32LE(header + SIGNATURES + part)) as [
    number,
    number,
  ];
  if (offset === 0) return Buffer.from(content);
  if (offset + length !== content.length) throw new Error('its signature does not lie at its end');
  const rest = Buffer.from(content.subarray(0, offset));
  rest.fill(0, header + SIGNATURES, header + SIGNATURES + 8);
  // It covered the signature; Windows looks at it in drivers alone.
  rest.writeUInt32LE(0, header + CHECKSUM);
  return rest;
}
