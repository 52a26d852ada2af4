/** Every replica has learnt of a new key before the first one signs with it. */
export const ACTIVE_AFTER_MS = 30_000;
