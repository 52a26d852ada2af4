import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import type { ReceiverSettings } from '../../settings/settings.ts';
import type { Log } from '../events/log.ts';
import { HttpReceiver } from './http-receiver.ts';
import type { Transport } from './transport.ts';

const CONTENT_TYPE = 'application/cloudevents-batch+json; charset=UTF-8';

/** Any HTTP receiver: CloudEvents 1.0, batched content mode (HTTP protocol binding, 3.3). */
export class WebhookTransport implements Transport {
  readonly name = 'webhook';
  readonly reliable = true;
  readonly graceMs = 10 * 60_000;
  readonly batch = 64;
  readonly #url: string;
  readonly #receiver: HttpReceiver;

  constructor(host: Host, settings: ReceiverSettings, log: Log) {
    this.#url = settings.url;
    this.#receiver = new HttpReceiver(this.name, host, settings, log);
  }

  async deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    const body = JSON.stringify(events.map(cloudEvent));
    await this.#receiver.post(this.#url, CONTENT_TYPE, body, events.length, signal);
    return events.at(-1)?.seq ?? 0;
  }

  async close(): Promise<void> {
    this.#receiver.close();
  }
}

/** The event as CloudEvents 1.0 has it; `id` and `source` together name it for ever. */
function cloudEvent(event: SlipwayEvent): Record<string, unknown> {
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
