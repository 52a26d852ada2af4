/** What stands in the place of sealed user data: it lies in clear, and holds nothing secret. */

/** Where something is that the stub does not hold: the controller has it, for the Machine that the machine proves to be. */
/** As much as a sealed part may have, and what comes out of it: user data has no more. */
export const MAX_SEALED_DATA_BYTES = 16 * 1024 * 1024;

export const AT_CONTROLLER = 'controller';

export interface SealedStub {
  /** What the part is bound to: the UID of the Machine, or a name where no controller is asked. */
  machine: string;
  /** ISO 8601 in UTC. */
  expires: string;
  /** `sha256:` and the digest of the sealed part. */
  digest: string;
  /** `controller`, a URL, or `data:;base64,...`: where the sealed part is. */
  part: string;
  /** How it opens: the controller has the key, or a TPM alone can open it. Other ways are other names. */
  key: typeof AT_CONTROLLER | { tpm: KeyForTpm };
  /** The controller, for machines whose settings name none; those that they name count first. */
  controller?: { endpoints: string[]; ca: string };
}

/** A key of 32 bytes, as TPM2_Import takes it under the endorsement key; bytes in base64. */
export interface KeyForTpm {
  /** `sha256:...`. */
  endorsementKey: string;
  /** Registers of the SHA-256 bank that have to be as they were; none: any boot state. */
  pcrs: number[];
  public: string;
  duplicate: string;
  seed: string;
}
