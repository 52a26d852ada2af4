import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import { hypervVmId } from './hyperv-vm-id.ts';
import { appendToPool, GUEST_POOL, type KvpPool } from './kvp-pool.ts';
import { type KvpOrigin, kvpRecords } from './kvp-record.ts';
import type { Transport } from './transport.ts';

/** Hyper-V's key-value exchange: the host (and Azure's diagnostics) can read it without any network in the guest. */
export class HypervKvpTransport implements Transport {
  readonly name = 'hyperv';
  readonly reliable = false;
  readonly graceMs = 2000;
  readonly batch = 32;
  readonly #host: Host;
  readonly #pool: KvpPool;
  /** All records get the same, even if somebody sets the clock meanwhile. */
  #origin: KvpOrigin | undefined;

  constructor(host: Host, pool = GUEST_POOL) {
    this.#host = host;
    this.#pool = pool;
  }

  async deliver(events: readonly SlipwayEvent[]): Promise<number> {
    this.#origin ??= { incarnation: this.#bootedAt(), vmId: await hypervVmId(this.#host) };
    const origin = this.#origin;
    const records = events.flatMap((event) => kvpRecords(event, origin, this.#host.uuid()));
    if (records.length > 0)
      await appendToPool(this.#host, this.#pool, Buffer.concat(records), this.#bootedAt());
    return events.at(-1)?.seq ?? 0;
  }

  /** In seconds since 1970, as the clock has it now. */
  #bootedAt(): number {
    const { clock } = this.#host;
    return Math.floor((clock.now().getTime() - clock.monotonic()) / 1000);
  }
}
