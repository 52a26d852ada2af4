import type { EncryptionEntry, FetchSettings } from '../../document/document.ts';
import type { StoresSpec } from '../../stores/contract/store.ts';

/** Devices to encrypt, and how their keys are had. */
export interface EncryptionSpec {
  entries: EncryptionEntry[];
  fetching: FetchSettings;
  stores?: StoresSpec;
}
