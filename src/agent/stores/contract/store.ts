import type { ProxySettings, SecretSettings } from '../../document/node-settings.ts';
import { type Host, HostError } from '../../host/host.ts';
import { SecretError } from '../../platform/credentials/secret-error.ts';
import type { StoredReference } from '../reference/reference.ts';

/** More than any store keeps in one secret. */
export const MAX_SECRET_BYTES = 1024 * 1024;

/** How a document wants its secrets to be had. */
export interface StoresSpec {
  settings: SecretSettings;
  proxy?: ProxySettings;
}

/** What every store is opened with. */
export interface StoreContext {
  host: Host;
  spec: StoresSpec;
  signal?: AbortSignal;
}

/** A store that was asked at least once. Its errors are `SecretError`s and name no value. */
export interface Store {
  read(reference: StoredReference): Promise<Buffer>;
  remove(reference: StoredReference): Promise<void>;
  close(): Promise<void>;
}

/** Keeps what was asked for, an error too, until it is to be forgotten. */
export function once<T>(ask: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let known: Promise<T> | undefined;
  return {
    get() {
      known ??= ask();
      return known;
    },
    forget() {
      known = undefined;
    },
  };
}

const PUT =
  'Put that file on the machine first (in the image, or with an earlier write_files entry), or correct its path in slipway.secrets.';

/** A file of the machine that a secret rests on. @throws SecretError SecretNotFound, also where it cannot be read */
export async function readMachineFile({ files }: Host, path: string, mostBytes: number): Promise<Buffer> {
  let bytes: Buffer | undefined;
  try {
    bytes = await files.readIfPresent(path, mostBytes);
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new SecretError('SecretNotFound', `${path} cannot be used: ${error.message}`, PUT);
  }
  if (bytes === undefined) throw new SecretError('SecretNotFound', `${path} does not exist`, PUT);
  return bytes;
}
