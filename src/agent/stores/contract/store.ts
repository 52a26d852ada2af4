import type { ProxySettings, SecretSettings } from '../../document/node-settings.ts';
import type { Host } from '../../host/host.ts';
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
