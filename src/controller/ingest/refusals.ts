import { WireError } from '../../protocol/wire.ts';
import { Refused } from '../attest/refused.ts';
import { reason } from '../log.ts';
import { StoreBudgetExceeded, StoreBusy, StoreRefused } from '../store/store.ts';

const SPENT =
  'This machine has reported more than a bootstrap does. What it still has is stored later, all at once.';

export function strangerRefusal(): Refused {
  return new Refused('unauthorized', 'what machines do comes without a certificate of this authority');
}

/** What a machine is told of an error, whoever threw it. */
export function toRefused(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (error instanceof WireError) {
    // The sentence about a bad body is our own and quotes nothing.
    return new Refused(error.code, error.message, { words: error.message });
  }
  if (error instanceof StoreRefused) return refusedForGood(error);
  if (error instanceof StoreBudgetExceeded)
    return new Refused('slow-down', error.message, { words: SPENT, retryAfterMs: error.retryAfterMs });
  if (error instanceof StoreBusy)
    return new Refused('unavailable', error.message, { retryAfterMs: error.retryAfterMs });
  return new Refused('unavailable', reason(error), { retryAfterMs: 5_000 });
}

/** It is no fault of the controller. */
export function isExpectedRefusal(error: unknown): boolean {
  return error instanceof WireError || error instanceof StoreBusy || error instanceof StoreRefused;
}

/** The reporter finds the event and passes over it. */
function refusedForGood({ because, message }: StoreRefused): Refused {
  return because === 'size'
    ? new Refused('too-large', message, { words: 'The store takes no object of this size.' })
    : new Refused('unprocessable', message, { words: 'The API server takes no object with this content.' });
}
