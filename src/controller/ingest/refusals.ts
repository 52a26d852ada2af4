import { WireError } from '../../protocol/wire.ts';
import { Refused } from '../attest/refused.ts';
import { reason } from '../log.ts';
import { StoreBusy, StoreRefuses, StoreSpent } from '../store/store.ts';

const SPENT =
  'This machine has reported more than a bootstrap does. What it still has is stored later, all at once.';

export function strangers(): Refused {
  return new Refused('unauthorized', 'what machines do comes without a certificate of this authority');
}

/** What a machine is told of an error, whoever threw it. */
export function asRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof WireError) {
    // The sentence about a bad body is our own and quotes nothing.
    return new Refused(error.code, error.message, { words: error.message });
  }
  if (error instanceof StoreRefuses) return refusedForGood(error);
  if (error instanceof StoreSpent)
    return new Refused('slow-down', error.message, { words: SPENT, retryAfterMs: error.retryAfterMs });
  if (error instanceof StoreBusy)
    return new Refused('unavailable', error.message, { retryAfterMs: error.retryAfterMs });
  return new Refused('unavailable', reason(error), { retryAfterMs: 5_000 });
}

/** It is no fault of the controller. */
export function isNoFault(error: unknown): boolean {
  return error instanceof WireError || error instanceof StoreBusy || error instanceof StoreRefuses;
}

/** The reporter finds the event and passes over it. */
function refusedForGood({ because, message }: StoreRefuses): Refused {
  return because === 'size'
    ? new Refused('too-large', message, { words: 'The store takes no object of this size.' })
    : new Refused('unprocessable', message, { words: 'The API server takes no object with this content.' });
}
