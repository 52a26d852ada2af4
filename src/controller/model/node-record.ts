import type { ReadEvent } from '../../protocol/events.ts';
import type { Summary } from './summary.ts';

/** How it was found which Machine a node is: the first that held. */
export type TieKind = 'token' | 'providerID' | 'name';

export interface MachineTie {
  readonly name: string;
  readonly uid: string;
  readonly by: TieKind;
}

/** Who a node is, fixed when it enrolled. */
export interface NodeSpec {
  /** `machine.instance` on the wire. */
  readonly instance: string;
  readonly hostname: string;
  readonly providerID?: string;
  /** SHA-256 of the public key in its certificate: any other key is not this node. */
  readonly keyDigest: string;
  readonly enrolment: {
    readonly method: string;
    readonly at: string;
    /** Of the token that was used up or whose pool it is. */
    readonly token?: string;
  };
  /** Absent while no Machine is known for it. */
  readonly machine?: MachineTie;
}

/** A node as the controller holds it; its events stay in the store. */
export interface NodeRecord {
  readonly namespace: string;
  readonly name: string;
  readonly spec: NodeSpec;
  /** Counts up when a node that lost its spool starts to number its events from 1 again. */
  readonly epoch: number;
  /** Highest sequence number that is stored, in this epoch. */
  readonly seq: number;
  readonly summary: Summary;
  /** When something was last stored, by the controller's clock, in milliseconds; when it enrolled, at first. */
  readonly storedAt: number;
  /** How often events were stored. */
  readonly writes: number;
  /** The store's own mark of this version of the record. */
  readonly version?: string;
}

/** An event as it is kept: what it shares with all others of its node is left out. */
export type StoredEvent = Bare<ReadEvent>;
type Bare<E> = E extends unknown ? Omit<E, 'machine' | 'v'> : never;

export function nodeKey({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}
