/** Of `SealedFile`, of which most bootstraps have none: they look for one and load nothing of a TPM. */
export const LABEL = 'SLIPWAY SEALED FILE';
const BEGIN = `-----BEGIN ${LABEL}-----`;

/** Costs next to nothing for any other content. */
export function isSealedFile(content: Uint8Array): boolean {
  return Buffer.from(content.subarray(0, BEGIN.length)).toString('latin1') === BEGIN;
}
