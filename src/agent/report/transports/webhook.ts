import { retryAfterMs } from '../../../kit/retry-after.ts';
import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import type { HttpClient } from '../../host/network.ts';
import type { WebhookSettings } from '../config/settings.ts';
import type { Log } from '../events/log.ts';
import { DeliveryError, type Transport } from './transport.ts';

const TIMEOUT_MS = 20_000;
/** The receiver will not take these however often they are sent. */
const REFUSED = [400, 413, 415, 422];

/** Any HTTP receiver: CloudEvents 1.0, batched content mode (HTTP protocol binding, 3.3). */
export class WebhookTransport implements Transport {
  readonly name = 'webhook';
  readonly reliable = true;
  readonly graceMs = 10 * 60_000;
  readonly batch = 64;
  readonly #host: Host;
  readonly #settings: WebhookSettings;
  readonly #client: HttpClient;
  readonly #log: Log;

  constructor(host: Host, settings: WebhookSettings, log: Log) {
    this.#host = host;
    this.#settings = settings;
    this.#log = log;
    this.#client = host.network.client({
      ...(settings.ca === undefined ? {} : { ca: settings.ca }),
      ...(settings.proxy ? { proxy: settings.proxy } : {}),
    });
  }

  async deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    const { url, headers } = this.#settings;
    const { status, headers: answered } = await this.#client.send({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/cloudevents-batch+json; charset=UTF-8',
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
      },
      body: Buffer.from(JSON.stringify(events.map(cloudEvent))),
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const last = events.at(-1)?.seq ?? 0;
    if (status >= 200 && status < 300) return last;
    const { host } = new URL(url);
    if (REFUSED.includes(status)) {
      this.#log(
        `webhook: ${host} refused ${events.length} events with status ${status}; they are passed over`,
      );
      return last;
    }
    const wait = retryAfterMs(answered, this.#host.clock.now().getTime());
    throw new DeliveryError(`${host} answered with status ${status}`, wait);
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}

/** The event as CloudEvents 1.0 has it; `id` and `source` together name it for ever. */
export function cloudEvent(event: SlipwayEvent): Record<string, unknown> {
  return {
    specversion: '1.0',
    id: `${event.boot}/${event.seq}`,
    source: `/slipway/machines/${encodeURIComponent(event.machine.instance)}`,
    type: `dev.slipway.${event.type}`,
    time: event.time,
    ...('step' in event && event.step ? { subject: event.step.id } : {}),
    datacontenttype: 'application/json',
    traceparent: event.traceparent,
    data: event,
  };
}
