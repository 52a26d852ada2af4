import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { endorsementKeyId } from '../../tpm/evidence/endorsement.ts';
import type { PcrValues } from '../../tpm/objects/pcr-selection.ts';
import { areaOfEndorsementKey } from '../../tpm/objects/templates.ts';
import { sealFile } from '../../tpm/sealing/sealed-file.ts';
import { UsageError } from './usage-error.ts';

export interface SealOptions {
  for: string;
  path: string;
  pcrs?: string;
}

/** The parts of `slipway identity --output json` that matter here. */
interface IdentityFile {
  endorsementKey: string;
  publicKey: string;
  pcrs: Record<number, string>;
}

/** `slipway-controller seal`: prints a file that only one machine can open. Neither a cluster nor the machine is asked. */
export async function sealCommand(file: string, options: SealOptions): Promise<number> {
  const { path } = options;
  if (posix.resolve('/', path) !== path)
    throw new UsageError(`--path: ${path} is no absolute path of a file`);
  const identity = readIdentityFile(options.for);
  const ek = areaOfEndorsementKey(createPublicKey(identity.publicKey));
  const content = readInput(file);
  const pcrs = options.pcrs === undefined ? [] : registers(options.pcrs);
  const state = pcrs.length === 0 ? {} : { state: { pcrs, values: valuesOf(identity, pcrs) } };
  process.stdout.write(sealFile({ ek, path, content, ...state }));
  return 0;
}

function readIdentityFile(file: string): IdentityFile {
  try {
    const { endorsementKey, publicKey, pcrs } = JSON.parse(readFileSync(file, 'utf8'));
    if (endorsementKeyId(createPublicKey(publicKey)) === endorsementKey)
      return { endorsementKey, publicKey, pcrs: pcrs?.sha256 ?? {} };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new UsageError(`--for: there is no file ${file}`);
  }
  throw new UsageError(`--for: ${file} is not what slipway identity --output json printed on the machine`);
}

function readInput(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function registers(text: string): number[] {
  const pcrs = text.split(',').map(Number);
  if (pcrs.every((pcr) => Number.isInteger(pcr) && pcr >= 0 && pcr < 24))
    return [...new Set(pcrs)].sort((one, other) => one - other);
  throw new UsageError(`--pcrs: ${text} is no list of registers such as 0,2,4,7`);
}

function valuesOf({ pcrs: known }: IdentityFile, pcrs: readonly number[]): PcrValues {
  return new Map(
    pcrs.map((pcr) => {
      const value = known[pcr];
      if (value === undefined) throw new UsageError(`--pcrs: the file of --for has no value of PCR ${pcr}`);
      return [pcr, Buffer.from(value, 'hex')] as const;
    }),
  );
}
