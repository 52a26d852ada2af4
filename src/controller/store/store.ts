import { STORE_BUSY_MS } from '../../kit/backoff.ts';
import { ExpectedError } from '../../kit/errors.ts';
import type { ReadEvent } from '../../protocol/events.ts';
import type { NodeRecord, NodeSpec, StoredEvent } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';
import type { NodeLine } from './node-line.ts';

/** What is to be added to a node: events above its `seq`, in ascending order, or any that begin a new epoch. */
export interface Addition {
  readonly epoch: number;
  readonly events: readonly ReadEvent[];
  readonly summary: Summary;
}

/** Keeps nodes and their events. Whatever returns has been stored for good. */
export interface Store {
  /** Each write costs others something (an API server), so events that can wait are collected first. */
  readonly thrifty: boolean;
  /** @throws StoreBusy */
  find(namespace: string, name: string): Promise<NodeRecord | undefined>;
  /**
   * Makes a node.
   *
   * @returns undefined where there is one of that name already
   * @throws StoreBusy
   */
  create(namespace: string, name: string, spec: NodeSpec, owner?: Owner): Promise<NodeRecord | undefined>;
  /**
   * Appends, if the record is still the last version.
   *
   * @returns the record after it; undefined where another writer came first, and the record must be read again
   * @throws StoreBusy
   */
  append(record: NodeRecord, addition: Addition): Promise<NodeRecord | undefined>;
  list(namespace?: string): Promise<NodeRecord[]>;
  /** All nodes, for people: as much as a table shows, also of tens of thousands. @throws StoreBusy */
  overview(namespace?: string): Promise<NodeLine[]>;
  events(namespace: string, name: string): Promise<StoredEvent[]>;
  close(): Promise<void>;
}

/** The Machine that a node belongs to; what is kept of the node goes with it. */
export interface Owner {
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

/** The store cannot be reached or is overloaded; nothing was stored, or nobody knows. Trying again is right and harmless. */
export class StoreBusy extends ExpectedError {
  override readonly name = 'StoreBusy';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = STORE_BUSY_MS, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** As it is kept. */
export function stored({ machine: _, v: __, ...event }: ReadEvent): StoredEvent {
  return event as StoredEvent;
}
