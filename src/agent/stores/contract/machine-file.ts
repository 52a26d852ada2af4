import { type Host, HostError } from '../../host/host.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';

const PUT =
  'Put that file on the machine before (by the image, or an entry of write_files above), or correct its path in slipway.secrets.';

/** A file of the machine that a secret rests on. @throws SecretError SecretNotFound, also where it cannot be read */
export async function readMachineFile({ files }: Host, path: string, mostBytes: number): Promise<Buffer> {
  let bytes: Buffer | undefined;
  try {
    bytes = await files.readIfPresent(path, mostBytes);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new SecretError('SecretNotFound', `${path} cannot be used: ${error.message}`, PUT);
  }
  if (bytes === undefined) throw new SecretError('SecretNotFound', `${path} is not there`, PUT);
  return bytes;
}
