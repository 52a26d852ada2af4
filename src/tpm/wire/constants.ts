/** Numbers of the TPM 2.0 Library (Part 2), only those that Slipway uses. */

/** TPM_ALG_ID, 6.3. */
export const ALG = {
  rsa: 0x0001,
  sha1: 0x0004,
  aes: 0x0006,
  keyedHash: 0x0008,
  sha256: 0x000b,
  sha384: 0x000c,
  sha512: 0x000d,
  null: 0x0010,
  rsassa: 0x0014,
  ecdsa: 0x0018,
  ecc: 0x0023,
  cfb: 0x0043,
} as const;

/** TPM_CC, 6.5.2. */
export const COMMAND = {
  createPrimary: 0x131,
  activateCredential: 0x147,
  nvRead: 0x14e,
  policySecret: 0x151,
  import: 0x156,
  load: 0x157,
  quote: 0x158,
  unseal: 0x15e,
  flushContext: 0x165,
  nvReadPublic: 0x169,
  startAuthSession: 0x176,
  getCapability: 0x17a,
  pcrRead: 0x17e,
  policyPcr: 0x17f,
} as const;

/** TPM_RH, 7.4. */
export const HANDLE = {
  owner: 0x40000001,
  null: 0x40000007,
  password: 0x40000009,
  endorsement: 0x4000000b,
} as const;

/** TPM_ST, 6.9. */
export const TAG = { noSessions: 0x8001, sessions: 0x8002, quote: 0x8018 } as const;

/** TPM_GENERATED_VALUE, 6.2: what the TPM itself signed begins with it. */
export const GENERATED = 0xff544347;

/** TPMA_OBJECT, 8.3. */
export const ATTRIBUTE = {
  fixedTpm: 0x2,
  fixedParent: 0x10,
  sensitiveDataOrigin: 0x20,
  userWithAuth: 0x40,
  adminWithPolicy: 0x80,
  noDa: 0x400,
  restricted: 0x10000,
  decrypt: 0x20000,
  sign: 0x40000,
} as const;

/** Bits of TPMA_SESSION, 8.4. */
export const SESSION = { continue: 0x01, decrypt: 0x20, encrypt: 0x40 } as const;

/** TPM_ECC_NIST_P256 and _P384, 6.4. */
export const CURVE = { p256: 0x0003, p384: 0x0004 } as const;

/** Names of the hash algorithms for node:crypto and for people. */
export const HASH_NAMES: Readonly<Record<number, string>> = {
  [ALG.sha1]: 'sha1',
  [ALG.sha256]: 'sha256',
  [ALG.sha384]: 'sha384',
  [ALG.sha512]: 'sha512',
};
