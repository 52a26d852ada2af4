import { type Host, HostError, type Lock } from '../../host/host.ts';

const NAME = 'reporter';
const LOOK_MS = 500;
/** Longer than a check-in takes. */
const PATIENCE_MS = 90_000;

/**
 * One process at a time speaks to the controller as this machine: after a renewal the certificate before it counts as a
 * copy's, so a reporter and a check-in beside each other would accuse the machine of having been copied.
 */
export class ReporterLock {
  /** Resolves when it is held, or cannot be: the machine must tell of its full disk all the same. */
  readonly taken: Promise<unknown>;
  readonly #given = new AbortController();
  #lock: Lock | undefined;

  constructor(host: Host) {
    this.taken = this.#take(host);
  }

  async release(): Promise<void> {
    this.#given.abort();
    await this.taken;
    await this.#lock?.release();
  }

  async #take(host: Host): Promise<void> {
    const { clock } = host;
    const end = clock.monotonic() + PATIENCE_MS;
    const { signal } = this.#given;
    try {
      while (!signal.aborted && clock.monotonic() < end) {
        const lock = await host.lock(NAME);
        if (!('heldBy' in lock)) {
          this.#lock = lock;
          return;
        }
        await clock.sleep(LOOK_MS, signal);
      }
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
    }
  }
}

/** The lock, if no reporter is at work. @throws HostError where nothing can be locked */
export async function lockUnlessReporting(host: Host): Promise<Lock | undefined> {
  const lock = await host.lock(NAME);
  return 'heldBy' in lock ? undefined : lock;
}
