import type { TpmProof } from '../../protocol/attestation.ts';
import type { NodeProof } from '../../protocol/enrolment.ts';
import type { MachineIdentity } from '../../protocol/events.ts';
import type { TpmCounters } from '../model/node-record.ts';
import type { MachineSelector } from '../model/selector.ts';
import type { BootLogExplainer } from '../policy/boot-log-explainer.ts';

/** What a machine sends to prove its identity. */
export interface Evidence {
  readonly token: string | undefined;
  /** What its TPM answered to a challenge. */
  readonly proof?: TpmProof | undefined;
  /** By which it shows beside its token that it is its Machine's Node. */
  readonly node?: NodeProof | undefined;
  readonly machine: MachineIdentity;
  /** The certificate request, in PEM. */
  readonly csr: string;
  /** Names the TLS connection that the evidence came on (RFC 9266). */
  readonly channel: Uint8Array;
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
  /** How the machine can show late that it is its Machine's Node; absent where its token names no authority of the cluster. */
  readonly lateProof?: {
    readonly isShown: boolean;
    /** @returns why it is not that Node; undefined if it is */
    objection(nodeName: string): string | undefined;
  };
  /** The endorsement key that was proved. */
  readonly endorsementKey?: string;
  /** Nobody named that key: the machine says which Machine it is, and comes first. */
  readonly byFirstUse?: boolean;
  /** Values of the PCRs that were signed, in hex, by number. */
  readonly registers?: Readonly<Record<string, string>>;
  /** What that TPM's counters are. */
  readonly counters?: TpmCounters;
  /** What the boot log says of them. */
  readonly boot?: BootLogExplainer;
  /** Certificates of the endorsement key and of those above it, as the machine sent them: DER, one after the other. */
  readonly certificates?: Uint8Array;
  /** What the address counts as that the TPM's answer came from. */
  readonly address?: string;
}

/**
 * A way to prove an identity. The controller asks each attestor whether the evidence is of its kind: two kinds
 * of tokens, and a TPM's answer to a challenge.
 */
export interface Attestor {
  /**
   * @returns undefined if the evidence is of another kind
   * @throws Refused if it is of this kind and proves nothing
   */
  attest(evidence: Evidence): Promise<Claim | undefined>;
}
