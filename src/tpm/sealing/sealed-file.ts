import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { fromPem, toPem } from '../../pki/pem.ts';
import { type Importable, sealFor } from '../crypto/importable.ts';
import { endorsementKeyId } from '../evidence/endorsement.ts';
import type { PcrValues } from '../objects/pcr-selection.ts';
import { type EcArea, keyOf, type RsaArea } from '../objects/public-area.ts';
import { ALG } from '../wire/constants.ts';
import { MalformedError } from '../wire/reader.ts';
import { LABEL } from './is-sealed-file.ts';

/**
 * A file that one TPM alone can open, as text that can lie anywhere: a key of AES-256-GCM is sealed to the endorsement key
 * (TPM2_Import), the content is encrypted under that key. It opens for its own path only, so nobody makes a secret of one
 * file the content of a readable one.
 */
export interface SealedFile {
  /** `sha256:...` of the endorsement key. */
  readonly endorsementKey: string;
  /** Registers of the SHA-256 bank that have to be as they were; none: any boot state. */
  readonly pcrs: readonly number[];
  readonly key: Importable;
  readonly iv: Uint8Array;
  /** Ciphertext, then the tag of 16 bytes. */
  readonly data: Uint8Array;
}

const VERSION = 1;
const TAG_BYTES = 16;

interface ToSeal {
  readonly ek: RsaArea | EcArea;
  /** Where the file will lie. */
  readonly path: string;
  readonly content: Uint8Array;
  /** The boot state that it opens in; absent: any. */
  readonly state?: { pcrs: readonly number[]; values: PcrValues };
}

/** @returns text with a line of dashes before and after it */
export function sealFile({ ek, path, content, state }: ToSeal): string {
  const [key, iv] = [randomBytes(32), randomBytes(12)];
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound(path));
  const data = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  const when = state && { selection: { bank: ALG.sha256, pcrs: state.pcrs }, values: state.values };
  const sealed = sealFor(ek, key, when);
  const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const body = {
    version: VERSION,
    endorsementKey: endorsementKeyId(keyOf(ek)),
    pcrs: state?.pcrs ?? [],
    public: b64(sealed.publicArea),
    duplicate: b64(sealed.duplicate),
    seed: b64(sealed.seed),
    iv: b64(iv),
    data: b64(data),
  };
  return toPem(LABEL, Buffer.from(JSON.stringify(body)));
}

/** @throws MalformedError */
export function readSealedFile(content: Uint8Array): SealedFile {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(Buffer.from(fromPem(LABEL, Buffer.from(content).toString('latin1'))).toString('utf8'));
  } catch {
    throw new MalformedError('the sealed file is cut off or damaged');
  }
  if (body.version !== VERSION)
    throw new MalformedError(`the sealed file has version ${String(body.version)}, not ${VERSION}`);
  const { endorsementKey, pcrs } = body;
  const isPcr = (pcr: unknown): pcr is number =>
    Number.isInteger(pcr) && Number(pcr) >= 0 && Number(pcr) < 24;
  if (typeof endorsementKey !== 'string' || !Array.isArray(pcrs) || !pcrs.every(isPcr))
    throw new MalformedError('the sealed file is missing a part');
  const key = {
    publicArea: bytes(body, 'public'),
    duplicate: bytes(body, 'duplicate'),
    seed: bytes(body, 'seed'),
  };
  return { endorsementKey, pcrs, key, iv: bytes(body, 'iv'), data: bytes(body, 'data') };
}

function bytes(body: Record<string, unknown>, name: string): Buffer {
  const value = body[name];
  if (typeof value !== 'string') throw new MalformedError('the sealed file is missing a part');
  return Buffer.from(value, 'base64');
}

/**
 * @param key what the TPM opened
 * @throws MalformedError if anything was changed, or the file is for another path
 */
export function decrypt({ iv, data }: SealedFile, key: Uint8Array, path: string): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(
      bound(path),
    );
    decipher.setAuthTag(data.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new MalformedError(`the sealed file was changed, or was made for another path than ${path}`);
  }
}

function bound(path: string): Buffer {
  return Buffer.from(`slipway sealed file v1\0${path}`);
}
