import type { Failure } from '../../protocol/journal.ts';
import type { SealedStub } from '../../protocol/sealed-stub.ts';
import type { ChunkedUserData } from '../document/document.ts';

/** What the machine says of itself before anything proves it. */
export interface ClaimedIdentity {
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
  /** Whose user data they would be, where the source says so. */
  instance?: string;
}

/** User data that lie elsewhere: what stands in their place. */
export type UserDataReference = SealedStub | ChunkedUserData;

/** Where nobody opens them. */
export const REFERENCE_ONLY =
  'The user data is only a reference to the real user data, which only slipway bootstrap opens.';

/** User data in clear, in memory alone. */
export type OpenResult = OpenedUserData | NoDocument;

export interface OpenedUserData {
  kind: 'opened';
  userData: Buffer;
  /** Names what stood in their place, for what is kept of them. */
  digest: string;
  /** Deletes them where they lay; once they have done their work. */
  spend?(): Promise<void>;
}

/** Gets what lies elsewhere. */
export type OpenUserData = (elsewhere: UserDataReference, claimed: ClaimedIdentity) => Promise<OpenResult>;
