import { retryAfterMs } from '../../../kit/retry-after.ts';
import type { Host } from '../../host/host.ts';
import type { HttpClient, HttpResponse } from '../../host/network.ts';
import type { ReceiverSettings } from '../../settings/settings.ts';
import type { Log } from '../events/log.ts';
import { DeliveryError } from './transport.ts';

const TIMEOUT_MS = 20_000;
/** The receiver will not take these however often they are sent. */
const REFUSED = [400, 413, 415, 422];

/** A server of somebody else's that takes what is posted to it. */
export class HttpReceiver {
  readonly #name: string;
  readonly #host: Host;
  readonly #settings: ReceiverSettings;
  readonly #client: HttpClient;
  readonly #log: Log;

  /** @param name of the transport, for the log */
  constructor(name: string, host: Host, settings: ReceiverSettings, log: Log) {
    this.#name = name;
    this.#host = host;
    this.#settings = settings;
    this.#log = log;
    this.#client = host.network.client({
      ...(settings.ca === undefined ? {} : { ca: settings.ca }),
      ...(settings.proxy ? { proxy: settings.proxy } : {}),
    });
  }

  /**
   * Posts the body. One that the receiver refuses for good is told in the log and passed over.
   *
   * @param events how many events are in it
   * @returns the answer; undefined for a body that was refused
   * @throws DeliveryError when another attempt may help
   */
  async post(
    url: string,
    contentType: string,
    body: string,
    events: number,
    signal: AbortSignal,
  ): Promise<HttpResponse | undefined> {
    const { headers } = this.#settings;
    const answer = await this.#client.send({
      method: 'POST',
      url,
      headers: {
        'content-type': contentType,
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()])),
      },
      body: Buffer.from(body),
      timeoutMs: TIMEOUT_MS,
      signal,
    });
    const { status } = answer;
    if (status >= 200 && status < 300) return answer;
    const { host } = new URL(url);
    if (REFUSED.includes(status)) {
      this.#log(`${this.#name}: ${host} refused ${events} events with status ${status}; they are skipped`);
      return undefined;
    }
    const wait = retryAfterMs(answer.headers, this.#host.clock.now().getTime());
    throw new DeliveryError(`${host} answered with status ${status}`, wait);
  }

  close(): void {
    this.#client.close();
  }
}
