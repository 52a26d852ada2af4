import { openSealed } from '../../../tpm/commands/open-sealed.ts';
import { decrypt, readSealedFile, type SealedFile } from '../../../tpm/sealing/sealed-file.ts';
import { ALG } from '../../../tpm/wire/constants.ts';
import { MalformedError } from '../../../tpm/wire/reader.ts';
import { TpmError } from '../../../tpm/wire/tpm-error.ts';
import type { Host } from '../../host/host.ts';
import { type MachineEndorsementKey, withEndorsementKey } from './endorsement-key.ts';
import { TpmProblem } from './tpm-problem.ts';

/** Content that is sealed, and where it is to lie. */
interface Sealed {
  readonly path: string;
  readonly content: Uint8Array;
}

/**
 * Opens files that were sealed to this machine's TPM, all in one conversation. Nothing is asked of the TPM for a file that is
 * damaged or another machine's.
 *
 * @returns their contents, in the same order
 * @throws TpmProblem
 */
export async function openSealedFiles(host: Host, files: readonly Sealed[]): Promise<Buffer[]> {
  const read = files.map(({ path, content }) => ({ path, file: whole(path, () => readSealedFile(content)) }));
  return await withEndorsementKey(host, async (key) => {
    const contents: Buffer[] = [];
    for (const { path, file } of read) contents.push(await openOne(key, path, file));
    return contents;
  });
}

async function openOne(
  { channel, ek, own }: MachineEndorsementKey,
  path: string,
  file: SealedFile,
): Promise<Buffer> {
  const foreign = `the content of ${path} was sealed for ${file.endorsementKey}, and this machine's TPM has ${own}`;
  if (file.endorsementKey !== own) throw new TpmProblem('SealedFileForeign', foreign);
  const registers = file.pcrs.length === 0 ? undefined : { bank: ALG.sha256, pcrs: file.pcrs };
  try {
    const key = await openSealed(channel, ek, file.key, registers);
    return whole(path, () => decrypt(file, key, path));
  } catch (error) {
    if (error instanceof TpmError && error.refusal === 'policy not met') {
      const state = `the content of ${path} can be opened only while PCR ${file.pcrs.join(', ')} have the values they had when it was sealed`;
      throw new TpmProblem('TpmBootStateChanged', `${state}; they are different now`);
    }
    if (error instanceof TpmError && error.refusal === 'not for this key')
      throw new TpmProblem('SealedFileDamaged', `the content of ${path} was changed after it was sealed`);
    throw error;
  }
}

function whole<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedError)
      throw new TpmProblem('SealedFileDamaged', `the content of ${path}: ${error.message}`);
    throw error;
  }
}
