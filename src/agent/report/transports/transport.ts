import { ExpectedError } from '../../../kit/errors.ts';
import type { SlipwayEvent } from '../../../protocol/events.ts';

/**
 * All of them by their names, and whether each gets every event for certain, over restarts, reboots and long outages; else
 * this boot's events, as far as possible.
 */
export const TRANSPORTS = {
  ...{ controller: true, webhook: true, otlp: true },
  ...{ console: false, journald: false, eventlog: false, hyperv: false, vmware: false },
} as const satisfies Record<string, boolean>;

/** A way out of the machine. Each has a pump of its own, so that none waits for another. */
export interface Transport {
  /** Names it in logs and on disk. */
  readonly name: keyof typeof TRANSPORTS;
  /** As `TRANSPORTS` has it. */
  readonly reliable: boolean;
  /** How long the reporter waits for it once there is nothing more to tell; undefined: until it has everything. */
  readonly graceMs?: number;
  /** Most events in one delivery. */
  readonly batch: number;
  /**
   * Delivers events, oldest first.
   *
   * @returns the sequence number up to which they are delivered; lower than the last one's where only some are
   * @throws DeliveryError when nothing was delivered and another attempt may help
   */
  deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number>;
  /** Called once at the end. */
  close?(): Promise<void>;
}

/** The receiver did not take the events; the pump tries again. */
export class DeliveryError extends ExpectedError {
  override readonly name = 'DeliveryError';
  /** The receiver's own wish, e.g. from Retry-After. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * Delivers to a receiver that takes one event at a time.
 *
 * @param send says why it did not take the event; undefined if it did
 * @throws DeliveryError
 */
export async function deliverOneByOne(
  events: readonly SlipwayEvent[],
  send: (event: SlipwayEvent) => Promise<string | undefined>,
): Promise<number> {
  let reached: number | undefined;
  for (const event of events) {
    const problem = await send(event);
    if (problem !== undefined && reached === undefined) throw new DeliveryError(problem);
    if (problem !== undefined) break;
    reached = event.seq;
  }
  return reached ?? 0;
}
