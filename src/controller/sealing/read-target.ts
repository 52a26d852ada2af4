import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ExpectedError, errorMessage } from '../../kit/errors.ts';
import { visible } from '../../kit/terminal/visible.ts';
import { endorsementKeyId } from '../../tpm/evidence/endorsement.ts';
import type { PcrValues } from '../../tpm/objects/pcr-selection.ts';
import type { EcArea, RsaArea } from '../../tpm/objects/public-area.ts';
import { areaOfEndorsementKey } from '../../tpm/objects/templates.ts';

/** What something is sealed for. */
interface Target {
  readonly ek: RsaArea | EcArea;
  /** `sha256:...` of it. */
  readonly endorsementKey: string;
  /** The boot state that it opens in; absent: any. */
  readonly state?: { pcrs: readonly number[]; values: PcrValues };
}

/** The parts of `slipway identity --output json` that matter here. */
interface IdentityFile {
  endorsementKey: string;
  publicKey: string;
  pcrs: Record<number, string>;
}

/** What `--for` and `--pcrs` say. @throws ExpectedError */
export function readTarget(file: string, pcrList: string | undefined): Target {
  const identity = readIdentityFile(file);
  const { endorsementKey } = identity;
  const ek = areaOfEndorsementKey(createPublicKey(identity.publicKey));
  const pcrs = pcrList === undefined ? [] : registers(pcrList);
  const state = pcrs.length === 0 ? {} : { state: { pcrs, values: valuesOf(identity, pcrs) } };
  return { ek, endorsementKey, ...state };
}

/** A file, or standard input for `-`. @throws ExpectedError */
export function readInput(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new ExpectedError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function readIdentityFile(file: string): IdentityFile {
  const text = textOf(file);
  let why = 'it is no JSON';
  try {
    const json = JSON.parse(text);
    why = 'it is no JSON object';
    const { endorsementKey, publicKey, pcrs, code, cause } = json;
    why = 'it has no publicKey';
    if (typeof code === 'string') why = `that machine could not prove itself: ${cause} [${code}]`;
    else if (typeof publicKey === 'string') {
      why = 'its publicKey is none that a TPM has';
      if (endorsementKeyId(createPublicKey(publicKey)) === endorsementKey)
        return { endorsementKey, publicKey, pcrs: pcrs?.sha256 ?? {} };
      why = 'its endorsementKey is not the digest of its publicKey';
    }
  } catch {
    // Whatever cannot be read ends here, with what was about to be read.
  }
  throw new ExpectedError(
    `--for: ${file} is not what slipway identity --output json printed on the machine: ${visible(why)}`,
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new ExpectedError(`--for: there is no file ${file}`);
    throw new ExpectedError(`--for: ${file} cannot be read: ${errorMessage(error)}`);
  }
}

/** The registers that `--pcrs` names, in order. */
export function registers(text: string): number[] {
  const pcrs = text.split(',').map(Number);
  // An empty word is no register, though it counts as 0.
  if (
    /^\d{1,2}(?:,\d{1,2})*$/.test(text) &&
    pcrs.every((pcr) => Number.isInteger(pcr) && pcr >= 0 && pcr < 24)
  )
    return [...new Set(pcrs)].sort((one, other) => one - other);
  throw new ExpectedError(`--pcrs: ${text} is no list of registers such as 0,2,4,7`);
}

function valuesOf({ pcrs: known }: IdentityFile, pcrs: readonly number[]): PcrValues {
  return new Map(
    pcrs.map((pcr) => {
      const value = known[pcr];
      if (value === undefined)
        throw new ExpectedError(`--pcrs: the file of --for has no value of PCR ${pcr}`);
      return [pcr, Buffer.from(value, 'hex')] as const;
    }),
  );
}
