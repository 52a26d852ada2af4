import type { KeyObject } from 'node:crypto';
import { ATTRIBUTE } from '../wire/constants.ts';
import { MalformedError } from '../wire/reader.ts';
import type { EcArea, RsaArea } from './public-area.ts';

/** What a primary key is made from: the same template gives the same key at every boot, until the TPM is cleared. */

/**
 * Policy A of the TCG EK Credential Profile 2.x (B.6.2): whoever may use the endorsement hierarchy may use the key. It is
 * the digest of one TPM2_PolicySecret(endorsement).
 */
const POLICY_A = Buffer.from('837197674484b3f81a90cc8d46a5d724fd52d76e06520b64f2a1da1b331469aa', 'hex');

const EK_ATTRIBUTES =
  ATTRIBUTE.fixedTpm |
  ATTRIBUTE.fixedParent |
  ATTRIBUTE.sensitiveDataOrigin |
  ATTRIBUTE.adminWithPolicy |
  ATTRIBUTE.restricted |
  ATTRIBUTE.decrypt;

/** Template L-1: RSA 2048. The unique field is zeros as long as the key; another one gives another key. */
export const EK_RSA: RsaArea = {
  type: 'rsa',
  attributes: EK_ATTRIBUTES,
  policy: POLICY_A,
  storage: true,
  bits: 2048,
  modulus: Buffer.alloc(256),
};

/** Template L-2: P-256. */
export const EK_EC: EcArea = {
  type: 'ec',
  attributes: EK_ATTRIBUTES,
  policy: POLICY_A,
  storage: true,
  curve: 'P-256',
  x: Buffer.alloc(32),
  y: Buffer.alloc(32),
};

/** What an attestation key must be, no more and no less; `noDa` besides is allowed. */
export const AK_ATTRIBUTES =
  ATTRIBUTE.fixedTpm |
  ATTRIBUTE.fixedParent |
  ATTRIBUTE.sensitiveDataOrigin |
  ATTRIBUTE.userWithAuth |
  ATTRIBUTE.restricted |
  ATTRIBUTE.sign;

/** P-256: it signs what the TPM itself has said, and nothing else. */
export const AK: EcArea = {
  type: 'ec',
  attributes: AK_ATTRIBUTES | ATTRIBUTE.noDa,
  policy: Buffer.alloc(0),
  storage: false,
  curve: 'P-256',
  x: Buffer.alloc(0),
  y: Buffer.alloc(0),
};

/**
 * The public area of an endorsement key by these templates.
 *
 * @param key RSA 2048 or P-256
 * @throws MalformedError for another kind
 */
export function areaOfEndorsementKey(key: KeyObject): RsaArea | EcArea {
  const { kty, n = '', crv, x = '', y = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
  if (kty === 'RSA' && bytes(n).length === 256) return { ...EK_RSA, modulus: bytes(n) };
  if (kty === 'EC' && crv === 'P-256') return { ...EK_EC, x: bytes(x), y: bytes(y) };
  throw new MalformedError('the key is neither RSA 2048 nor P-256');
}
