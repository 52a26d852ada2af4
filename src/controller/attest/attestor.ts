import type { MachineIdentity } from '../../protocol/events.ts';
import type { MachineSelector } from '../model/selector.ts';

/** What a machine sends to prove its identity. */
export interface Evidence {
  readonly token: string | undefined;
  readonly machine: MachineIdentity;
}

/** What the evidence proves. */
export interface Claim {
  /** For the log: `machine-token`, `token` ... */
  readonly method: string;
  /** Namespace of the node. */
  readonly namespace: string;
  /** The only Machine that the evidence is valid for. */
  readonly machineUid?: string;
  /** The only node that the evidence is valid for, if there are no Machines. */
  readonly nodeName?: string;
  /** Which Machines it may claim to be. */
  readonly selector?: MachineSelector;
  /** The token's public name. */
  readonly token?: string;
  /** Counts the machines that enrol with the token. */
  readonly use?: {
    /** @throws Refused if there were enough; StoreBusy */
    take(): Promise<void>;
    /** It made no node. */
    giveBack(): void;
  };
  /** How often the Machine must have enrolled before. */
  readonly epoch?: number;
}

/**
 * A way to prove an identity. The controller asks each attestor whether the evidence is of its kind. Two
 * kinds are tokens; a third comes from a TPM by a challenge.
 */
export interface Attestor {
  /**
   * @returns undefined if the evidence is of another kind
   * @throws Refused if it is of this kind and proves nothing
   */
  attest(evidence: Evidence): Promise<Claim | undefined>;
}
