import { createHash } from 'node:crypto';

const TPM_ST_SESSIONS = '8002';
const TPM_CC_PCR_EXTEND = '00000182';
/** TPM_RS_PW with an empty password. */
const PASSWORD = '40000009' + '0000' + '01' + '0000';
const ONE_OF_SHA256 = '00000001' + '000b';

/** The command by which a boot loader measures something into a register (TPM2_PCR_Extend, Part 3, 22.2). @param digest SHA-256 */
export function pcrExtend(pcr: number, digest: Uint8Array): Buffer {
  const hex = (value: number): string => value.toString(16).padStart(8, '0');
  const body = `${hex(pcr)}${hex(PASSWORD.length / 2)}${PASSWORD}${ONE_OF_SHA256}${Buffer.from(digest).toString('hex')}`;
  return Buffer.from(`${TPM_ST_SESSIONS}${hex(10 + body.length / 2)}${TPM_CC_PCR_EXTEND}${body}`, 'hex');
}

/** What a register that held `before` holds after it. */
export function extended(digest: Uint8Array, before: Uint8Array = Buffer.alloc(32)): Buffer {
  return createHash('sha256').update(before).update(digest).digest();
}
