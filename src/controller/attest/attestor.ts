import type { KeyObject } from 'node:crypto';
import type { MachineIdentity } from '../../protocol/events.ts';

/** What a machine brings to prove who it is. */
export interface Evidence {
  readonly token: string | undefined;
  readonly machine: MachineIdentity;
  /** The key that it made and proved to hold. */
  readonly key: KeyObject;
}

/** What the evidence proves. */
export interface Claim {
  /** For the record: `machine-token`, `token` ... */
  readonly method: string;
  /** Namespace of the node. */
  readonly namespace: string;
  /** The one Machine that the evidence is for. */
  readonly machineUid?: string;
  /** The one node that the evidence is for, where there are no Machines. */
  readonly nodeName?: string;
  /** Public name of the token. */
  readonly token?: string;
}

/**
 * A way to prove who one is. Attestors are asked in turn; each says whether the evidence is of its kind. Tokens are two;
 * a TPM's is another, whose evidence comes by a challenge.
 */
export interface Attestor {
  /**
   * @returns undefined where the evidence is not of this kind
   * @throws Refused where it is, and proves nothing
   */
  attest(evidence: Evidence): Promise<Claim | undefined>;
}
