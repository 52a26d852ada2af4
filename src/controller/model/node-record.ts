import type { ReadEvent } from '../../protocol/events.ts';
import type { MachineSelector } from './selector.ts';
import type { Summary } from './summary.ts';

/**
 * How the controller found a node's Machine. `tpm`: by an endorsement key that is named for the Machine, or listed or certified as its
 * policies demand. `firstUse`: by a key that nobody vouches for, so it may be a program's. It proves no more than that the same
 * key has come again. `lateToken`: by the Machine's token beside the certificate of the Machine's Node, when there was a Node already;
 * such a machine may report, and gets nothing else.
 */
export type TieKind = 'tpm' | 'token' | 'lateToken' | 'firstUse' | 'providerID' | 'name';

export interface MachineTie {
  readonly name: string;
  readonly uid: string;
  readonly by: TieKind;
}

/**
 * Which of a node's certificates count, by serial number in hex. The machine may not have got the answer to a
 * renewal, so the certificate before it counts until the next one was used. From then on, whoever shows the
 * old one has a copy.
 */
export interface CertificateState {
  readonly serial: string;
  /** Given and not used yet. */
  readonly next?: string;
  /** When the latest of them was made. Absent in what an older controller wrote. */
  readonly madeAt?: string;
  /** When one that was replaced was last shown: there is a copy of the machine's disk. */
  readonly copied?: string;
}

/**
 * Whether a node that proved itself may have certificates and secrets. `Refused`: a later proof of it failed. Only people
 * write `Quarantined`, and only they end it.
 */
export interface Admission {
  readonly state: 'Pending' | 'Admitted' | 'Quarantined' | 'Refused';
  readonly at: string;
  /** The code of a proof that failed. */
  readonly reason?: string;
  readonly why?: string;
  /** Of `Refused`: it was `Pending`, and is again when its proof holds: a proof is not somebody's word. */
  readonly waits?: true;
}

/** The key of the kubelet that the machine proved last to be its own. */
export interface KubeletKey {
  /** SHA-256 of the public key (SubjectPublicKeyInfo), in hex. */
  readonly keyDigest: string;
  readonly at: string;
}

/** What only grows in a TPM, unless its state was put back or cleared (TPM 2.0 Library, Part 1, 36). */
export interface TpmCounters {
  /** How often it was started anew. */
  readonly resets: number;
  /** How often it came back from a sleep since then. */
  readonly restarts: number;
  /** Milliseconds that it has run. */
  readonly clock: number;
}

/** The last verdict of a node, where `clusterctl move` takes it along: JSON, and an HMAC-SHA-256 in hex by the controller. */
export interface KeptVerdict {
  readonly record: string;
  readonly mac: string;
}

/** The node's identity, fixed at enrolment. */
export interface NodeSpec {
  /** `machine.instance` on the wire. */
  readonly instance: string;
  readonly hostname: string;
  readonly providerID?: string;
  /** SHA-256 of the public key in its certificate. Whoever has another key is not this node. */
  readonly keyDigest: string;
  readonly enrolment: {
    readonly method: string;
    readonly at: string;
    /** The token that it used up, or its pool's token. */
    readonly token?: string;
    /** The key of the TPM that it proved. */
    readonly endorsementKey?: string;
    /** Values of the PCRs that it signed, in hex, by number. */
    readonly registers?: Readonly<Record<string, string>>;
    /** Beginnings of the digests that its boot log explains them by, by number. */
    readonly measured?: Readonly<Record<string, string>>;
    /** Names of the policies that it was held against. */
    readonly policies?: readonly string[];
    /** Which Machines that token may tie. */
    readonly selector?: MachineSelector;
  };
  /** Absent in a node of an older controller, until its machine renews. */
  readonly certificate?: CertificateState;
  /** Absent: it is admitted. */
  readonly admission?: Admission;
  /** Absent where its machine has proved none. */
  readonly kubelet?: KubeletKey;
  /** What its TPM's counters were in a late proof. */
  readonly counters?: TpmCounters;
  /** Absent while there is no verdict. */
  readonly verdict?: KeptVerdict;
  /** Absent while its Machine is unknown. */
  readonly machine?: MachineTie;
}

/** A node in the controller; its events stay in the store. */
export interface NodeRecord {
  readonly namespace: string;
  readonly name: string;
  readonly spec: NodeSpec;
  /** Grows when a node that lost its spool numbers its events from 1 again. */
  readonly epoch: number;
  /** The highest stored sequence number of this epoch. */
  readonly seq: number;
  readonly summary: Summary;
  /** Last storage (at first: the enrolment), by the controller's clock in milliseconds. */
  readonly storedAt: number;
  /** How often events were stored. */
  readonly writes: number;
  /** Bytes that the next write moves besides its own events, if the store writes a node as a whole. */
  readonly bytes?: number;
  /** The store's mark for this version of the record. */
  readonly version?: string;
}

/** What a check-in needs of a node. */
export type WatchedNode = Pick<NodeRecord, 'namespace' | 'name' | 'spec' | 'seq' | 'writes'>;

/** There may be tens of thousands: the kept verdict is needed only where nothing else is stored. */
export function watchedNode({ namespace, name, spec, seq, writes }: NodeRecord): WatchedNode {
  const { verdict: _, ...rest } = spec;
  return { namespace, name, spec: writes === 0 ? spec : rest, seq, writes };
}

/** A stored event, without what all events of its node share. */
export type StoredEvent = Bare<ReadEvent>;
type Bare<E> = E extends unknown ? Omit<E, 'machine' | 'v'> : never;

export function nodeKey({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}
