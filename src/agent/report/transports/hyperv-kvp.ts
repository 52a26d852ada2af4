import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { AppendHandle, Host } from '../../host/host.ts';
import { shorten } from '../bounded.ts';
import { describeEvent } from '../describe-event.ts';
import type { Transport } from './transport.ts';

/** The pool that guests write and hv_kvp_daemon shows to the host. */
export const POOL = '/var/lib/hyperv/.kvp_pool_1';
const KEY_BYTES = 512;
const VALUE_BYTES = 2048;
/** Azure reads no more of a value; the terminating zero counts. */
const USED_VALUE_BYTES = 1024;

/**
 * Hyper-V's key-value exchange: the host (and Azure's diagnostics) can read it without any network in the guest. Records
 * have the shape of cloud-init's: key `SLIPWAY|incarnation|type|name|uuid`, value JSON with name, type, ts, result, msg.
 *
 * Records of one delivery are appended by a single write, which local file systems do not mix with others' writes;
 * Node.js has no flock.
 */
export class HypervKvpTransport implements Transport {
  readonly name = 'hyperv';
  readonly reliable = false;
  readonly graceMs = 2000;
  readonly batch = 32;
  readonly #host: Host;
  #pool: AppendHandle | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  async deliver(events: readonly SlipwayEvent[]): Promise<number> {
    this.#pool ??= await this.#host.files.openAppend(POOL, 0o644);
    const { clock } = this.#host;
    // When the machine booted, in seconds since 1970: tells this boot's records from an earlier one's.
    const incarnation = Math.floor((clock.now().getTime() - clock.monotonic()) / 1000);
    const records = events.flatMap((event) => kvpRecord(event, incarnation, this.#host.uuid()) ?? []);
    if (records.length > 0) await this.#pool.append(records.join(''));
    return events.at(-1)?.seq ?? 0;
  }

  async close(): Promise<void> {
    await this.#pool?.close();
    this.#pool = undefined;
  }
}

/** One record of 2,560 bytes as text (of which UTF-8 makes the bytes); undefined for what hosts need not know. */
export function kvpRecord(event: SlipwayEvent, incarnation: number, uuid: string): string | undefined {
  const message = describeEvent(event);
  if (message === undefined) return undefined;
  const name = shorten('step' in event && event.step ? event.step.id : 'bootstrap', 100);
  const type =
    event.type === 'sequence.started' ? 'start' : event.type === 'step.ended' ? 'finish' : event.type;
  const failed = 'failure' in event && event.failure !== undefined;
  const isEnd = event.type.endsWith('.ended') || event.type === 'agent.lost';
  const head = {
    name,
    type,
    ts: event.time,
    ...(isEnd ? { result: failed ? 'FAIL' : 'SUCCESS' } : {}),
  };
  const key = `SLIPWAY|${incarnation}|${type}|${name.replace(/[^\x20-\x7b\x7d-\x7e]/g, '_')}|${uuid}`;
  const value = fitting((limit) => JSON.stringify({ ...head, msg: shorten(message, limit) }));
  return padded(key, KEY_BYTES) + padded(value, VALUE_BYTES);
}

function fitting(make: (limit: number) => string): string {
  for (let limit = USED_VALUE_BYTES; limit > 16; limit = Math.floor(limit * 0.8)) {
    const text = make(limit);
    if (Buffer.byteLength(text) < USED_VALUE_BYTES) return text;
  }
  return make(16);
}

function padded(text: string, bytes: number): string {
  return text + '\0'.repeat(bytes - Buffer.byteLength(text));
}
