import type { SlipwayEvent } from '../../../protocol/events.ts';
import type { Host } from '../../host/host.ts';
import type { ReceiverSettings } from '../../settings/settings.ts';
import type { Log } from '../events/log.ts';
import { HttpReceiver } from './http-receiver.ts';
import { traceRequest } from './otlp-spans.ts';
import type { Transport } from './transport.ts';

/** OTLP/HTTP: what is named is the base, and each signal has its path below it. */
const TRACES = '/v1/traces';

/** A collector of OpenTelemetry: one trace for each bootstrap, by OTLP over HTTP in JSON. */
export class OtlpTransport implements Transport {
  readonly name = 'otlp';
  readonly reliable = true;
  readonly graceMs = 10 * 60_000;
  readonly batch = 64;
  readonly #url: string;
  readonly #version: string;
  readonly #receiver: HttpReceiver;
  readonly #log: Log;

  /** @param version of the reporter */
  constructor(host: Host, settings: ReceiverSettings, version: string, log: Log) {
    const base = settings.url.replace(/\/+$/, '');
    this.#url = base.endsWith(TRACES) ? base : `${base}${TRACES}`;
    this.#version = version;
    this.#receiver = new HttpReceiver(this.name, host, settings, log);
    this.#log = log;
  }

  async deliver(events: readonly SlipwayEvent[], signal: AbortSignal): Promise<number> {
    const last = events.at(-1)?.seq ?? 0;
    const request = traceRequest(events, this.#version);
    if (request === undefined) return last;
    const body = JSON.stringify(request);
    const answer = await this.#receiver.post(this.#url, 'application/json', body, events.length, signal);
    const rejected = answer && rejectedSpans(answer.body);
    if (rejected) this.#log(`otlp: ${new URL(this.#url).host} did not accept all spans: ${rejected}`);
    return last;
  }

  async close(): Promise<void> {
    this.#receiver.close();
  }
}

/** A collector that takes only some says so with status 200; they must not be sent again. */
function rejectedSpans(body: string): string | undefined {
  try {
    const { partialSuccess } = JSON.parse(body) as {
      partialSuccess?: { rejectedSpans?: number | string; errorMessage?: string };
    };
    const count = Number(partialSuccess?.rejectedSpans ?? 0);
    return count > 0 ? `${count} rejected, ${partialSuccess?.errorMessage ?? 'without a reason'}` : undefined;
  } catch {
    return undefined;
  }
}
