import { randomBytes, X509Certificate } from 'node:crypto';
import { type Log, reason } from '../log.ts';
import type { Keys } from './key-ring.ts';
import type { KeyStorage } from './key-storage.ts';
import type { WebhookMaterial } from './webhook-keys.ts';

const VALID_MS = 30 * 86_400_000;
/** Renewed when this much of its life is left. */
const LEFT_MS = VALID_MS / 3;
const LOOK_MS = 60_000;

/**
 * Keeps the webhook's certificate and the authorities that it gives to machines up to date. The webhook itself has no right on
 * the authority. The leading replica writes.
 */
export class WebhookKeeper {
  readonly #place: KeyStorage<WebhookMaterial>;
  readonly #keys: Pick<Keys, 'authority' | 'trusted' | 'chain'>;
  readonly #names: readonly string[];
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  #told: string | undefined;

  /** @param namespace that of the webhook's Service */
  constructor(
    place: KeyStorage<WebhookMaterial>,
    keys: Pick<Keys, 'authority' | 'trusted' | 'chain'>,
    namespace: string,
    log: Log,
  ) {
    this.#place = place;
    this.#keys = keys;
    this.#names = [`slipway-webhook.${namespace}.svc`, `slipway-webhook.${namespace}.svc.cluster.local`];
    this.#log = log;
  }

  lead(leads: boolean): void {
    clearInterval(this.#timer);
    if (!leads) return;
    const look = (): void =>
      void this.renew().then(
        () => {
          this.#told = undefined;
        },
        (error: unknown) => this.#tell(reason(error)),
      );
    this.#timer = setInterval(look, LOOK_MS);
    this.#timer.unref();
    look();
  }

  /** Once, as long as it is the same. */
  #tell(why: string): void {
    if (why === this.#told) return;
    this.#told = why;
    this.#log.warn("the webhook's certificate could not be renewed", {
      ...{ secret: this.#place.name, reason: why, remedy: 'apply the manifests of this version' },
    });
  }

  /** Writes what is due. @returns whether it wrote @throws KubeError */
  async renew(now = Date.now()): Promise<boolean> {
    const stored = await this.#place.read();
    if (stored !== undefined && !this.#isDue(stored, now)) return false;
    const { authority, chain, trusted } = this.#keys;
    const { cert, key } = authority.server(this.#names, VALID_MS, now);
    // Kubernetes takes lower-case names alone as parts of the path.
    const pathSecret = stored?.pathSecret || randomBytes(32).toString('hex');
    return await this.#place.write({ certificate: cert + chain, key, authorities: trusted, pathSecret });
  }

  #isDue({ certificate, authorities, pathSecret }: WebhookMaterial, now: number): boolean {
    const { trusted, chain } = this.#keys;
    if (authorities !== trusted || !certificate.endsWith(chain) || pathSecret === '') return true;
    try {
      return Date.parse(new X509Certificate(certificate).validTo) - now < LEFT_MS;
    } catch {
      return true;
    }
  }
}
