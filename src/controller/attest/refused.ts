import { ExpectedError } from '../../kit/errors.ts';
import type { Code } from '../../protocol/codes/codes.ts';
import type { Refusal, RefusalCode } from '../../protocol/exchange.ts';
import type { Claim } from './attestor.ts';

export interface RefusedOptions {
  /** For a machine that proved its identity. */
  words?: string;
  /** The code that the machine's own verdict gets; it is told with `words`. */
  reason?: Code;
  /** This request proved it, whatever its connection did: it gets the words. */
  isProved?: boolean;
  /** Whom the words concern: a genuine token was shown, which counts no longer. */
  claim?: RefusedClaim;
  /** The token was used by another key: there are two that have it. */
  isSecondHolder?: boolean;
  /** What the machine may come again with. */
  wants?: Refusal['wants'];
  /** The certificate that was shown counts no longer. */
  isFormer?: boolean;
  retryAfterMs?: number;
}

/** Which Machine a genuine token was for, or which Machines. */
export type RefusedClaim = Pick<Claim, 'namespace' | 'machineUid' | 'selector'>;

/** A refused request. `message` is for the log; a stranger gets only `code`. */
export class Refused extends ExpectedError {
  override readonly name = 'Refused';
  readonly code: RefusalCode;
  readonly words: string | undefined;
  readonly reason: Code | undefined;
  readonly isProved: boolean;
  readonly claim: RefusedClaim | undefined;
  readonly isSecondHolder: boolean;
  readonly wants: Refusal['wants'];
  readonly isFormer: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: RefusalCode, message: string, options: RefusedOptions = {}) {
    super(message);
    this.code = code;
    this.words = options.words;
    this.reason = options.reason;
    this.isProved = options.isProved ?? false;
    this.claim = options.claim;
    this.isSecondHolder = options.isSecondHolder ?? false;
    this.wants = options.wants;
    this.isFormer = options.isFormer ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const UNSETTLED_MS = 15_000;

/**
 * `clusterctl move` pauses a Cluster, copies its objects and deletes them: what is accepted meanwhile would be lost. So would what a node
 * told before, if something were written before that is put back.
 */
export function unsettledRefusal(machine: string): Refused {
  return new Refused('unavailable', `${machine} is being moved`, {
    words: 'The Cluster is being moved to another management cluster, or is paused. The report waits.',
    retryAfterMs: UNSETTLED_MS,
  });
}
