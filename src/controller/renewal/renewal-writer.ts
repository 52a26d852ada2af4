import type { KubeClient } from '../kube/client.ts';
import { isStatus } from '../kube/kube-error.ts';
import { type Log, reason } from '../log.ts';
import type { Renewal, RenewalList } from './renewal-list.ts';
import { renewedTokenOf } from './renewed-token.ts';

const LOOK_MS = 10_000;
/** Until it tries again where it may not write, or there is no such Secret. */
const REFUSED_MS = 5 * 60_000;

export const EXPIRES_ANNOTATION = 'slipway.dev/expires';

interface WriterParts {
  readonly client: KubeClient;
  readonly list: RenewalList;
  /** Of Machines' tokens. */
  readonly keys: () => readonly Uint8Array[];
  readonly log: Log;
}

/**
 * Puts renewed tokens into the Secrets that templates take them from: a part of the minter. Its right on each such Secret was given by
 * whoever made the token (`token create --secret`).
 */
export class RenewalWriter {
  readonly #parts: WriterParts;
  /** Hashes of what is in its Secret. */
  readonly #done = new Set<string>();
  /** When each is tried again, by the monotonic clock. */
  readonly #later = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;
  #working: Promise<void> = Promise.resolve();
  #isTold = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#timer = setInterval(() => {
      this.#working = this.#working.then(() => this.#look());
    }, LOOK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#working;
  }

  async #look(): Promise<void> {
    const { list, log } = this.#parts;
    try {
      const { renewals, written } = await list.read();
      for (const renewal of renewals.values()) {
        // What is said to be written is written again by a minter that starts: it costs nothing where it is so.
        const isDone = this.#done.has(renewal.hash) && written.get(renewal.id) === renewal.hash;
        if (!isDone && this.#isNow(renewal)) await this.#write(renewal);
      }
      this.#isTold = false;
    } catch (error) {
      log[this.#isTold ? 'debug' : 'warn']('renewed tokens could not be read', { reason: reason(error) });
      this.#isTold = true;
    }
  }

  #isNow({ hash, expiresAt }: Renewal): boolean {
    return expiresAt > Date.now() && (this.#later.get(hash) ?? 0) <= performance.now();
  }

  async #write(renewal: Renewal): Promise<void> {
    const { client, list, keys, log } = this.#parts;
    const { id, namespace, secret, hash, expiresAt } = renewal;
    const token = renewedTokenOf(renewal, keys());
    // The key that it comes of may be known in a moment; what somebody else wrote into the list never is.
    if (token === undefined) return;
    try {
      await client.request('PATCH', `/api/v1/namespaces/${namespace}/secrets/${secret}`, {
        body: {
          metadata: { annotations: { [EXPIRES_ANNOTATION]: new Date(expiresAt).toISOString() } },
          data: { token: Buffer.from(token).toString('base64') },
        },
        contentType: 'application/merge-patch+json',
      });
      await list.putWritten(renewal);
    } catch (error) {
      const isRefused = [403, 404, 422].some((status) => isStatus(error, status));
      if (isRefused) this.#later.set(hash, performance.now() + REFUSED_MS);
      log.warn('a renewed token could not be put into its Secret', {
        ...{ token: id, namespace, secret, reason: reason(error) },
        ...(isRefused
          ? {
              remedy: `make the next one: slipway-controller token create --namespace ${namespace} --secret ${secret} ...; or revoke this one: slipway-controller token revoke ${id}`,
            }
          : {}),
      });
      return;
    }
    this.#done.add(hash);
    this.#later.delete(hash);
    log.info('put a renewed token into its Secret', { token: id, namespace, secret });
  }
}
