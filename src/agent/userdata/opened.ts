import type { Failure } from '../../protocol/journal.ts';
import type { SealedStub } from '../../protocol/sealed-stub.ts';

/** What the machine says of itself before anything proves it. */
export interface Claimed {
  readonly hostname?: string;
  readonly providerID?: string;
}

/** Why there is no document. */
export interface NoDocument {
  kind: 'none';
  /** Another look at the next boot will not help. */
  permanent: boolean;
  failure: Failure;
  /** Another look may help, not before this. */
  waitMs?: number;
}

/** Sealed user data in clear, in memory alone. */
export type Opened = { kind: 'opened'; userData: Buffer } | NoDocument;

/** Opens what a stub stands for. */
export type Opener = (stub: SealedStub, claimed: Claimed) => Promise<Opened>;
