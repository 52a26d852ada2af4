import { STORE_BUSY_MS } from '../../kit/backoff.ts';
import { ExpectedError } from '../../kit/errors.ts';
import type { ReadEvent } from '../../protocol/events.ts';
import type { CertificateState, NodeRecord, NodeSpec, StoredEvent } from '../model/node-record.ts';
import type { Summary } from '../model/summary.ts';
import type { NodeLine } from './node-line.ts';

/** What to add to a node: events above its `seq` in ascending order, or events of a new epoch. */
export interface Addition {
  readonly epoch: number;
  readonly events: readonly ReadEvent[];
  readonly summary: Summary;
}

/** Stores nodes and their events. When a method returns, its data is stored for good. */
export interface Store {
  /** True if a write burdens others (an API server), so that events which can wait are collected first. */
  readonly thrifty: boolean;
  /** @throws StoreBusy */
  find(namespace: string, name: string): Promise<NodeRecord | undefined>;
  /**
   * Creates a node.
   *
   * @returns undefined if the name is taken
   * @throws StoreBusy
   */
  create(namespace: string, name: string, spec: NodeSpec, owner?: Owner): Promise<NodeRecord | undefined>;
  /**
   * Appends, if the record is still the latest version.
   *
   * @returns the new record; undefined if another writer came first and the caller must read again
   * @throws StoreBusy, StoreRefused
   */
  append(record: NodeRecord, addition: Addition): Promise<NodeRecord | undefined>;
  /**
   * Writes which certificates of a node count, if the record is still the latest version in this.
   *
   * @returns the new record; undefined if the caller must read again
   * @throws StoreBusy
   */
  certify(record: NodeRecord, certificate: CertificateState): Promise<NodeRecord | undefined>;
  /**
   * Removes a node and its events.
   *
   * @returns false if it is no longer as the record says
   * @throws StoreBusy
   */
  remove(record: NodeRecord): Promise<boolean>;
  list(namespace?: string): Promise<NodeRecord[]>;
  /** All nodes for a table, even tens of thousands. @throws StoreBusy */
  overview(namespace?: string): Promise<NodeLine[]>;
  events(namespace: string, name: string): Promise<StoredEvent[]>;
  close(): Promise<void>;
}

/** The Machine of a node; with the Machine, the node's record is deleted. */
export interface Owner {
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

/**
 * The store is unreachable or overloaded. Nothing was stored, or nobody knows. Another attempt is right and
 * harmless.
 */
export class StoreBusy extends ExpectedError {
  override readonly name = 'StoreBusy';
  readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs = STORE_BUSY_MS, options?: ErrorOptions) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
  }
}

/** The node has had its share of the store for now. */
export class StoreBudgetExceeded extends StoreBusy {}

/** The store will never take this addition, however often it is tried. */
export class StoreRefused extends ExpectedError {
  override readonly name = 'StoreRefused';
  /** `size`: too many bytes. `content`: it breaks the store's rules. */
  readonly because: 'size' | 'content';

  constructor(because: StoreRefused['because'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.because = because;
  }
}

/** The event in its stored form. */
export function storedForm({ machine: _, v: __, ...event }: ReadEvent): StoredEvent {
  return event as StoredEvent;
}
