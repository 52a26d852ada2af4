import { ExpectedError } from '../../kit/errors.ts';

/** What the webhook serves with. */
export interface WebhookMaterial {
  /** Its certificate, and where authorities rotate what leads to the one before; PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
  /** The authorities by which machines trust the controller; PEM. */
  readonly authorities: string;
  /** The part of the webhook's path that only the API server knows. */
  readonly pathSecret: string;
}

/** What counts now. */
export class WebhookKeys {
  #material: WebhookMaterial;
  readonly #renewed: (material: WebhookMaterial) => void;

  /** @param renewed called with each change */
  constructor(material: WebhookMaterial, renewed: (material: WebhookMaterial) => void) {
    this.#material = checked(material);
    this.#renewed = renewed;
  }

  get current(): WebhookMaterial {
    return this.#material;
  }

  /** Takes what is stored now. @throws ExpectedError where something is missing; what was there before counts on */
  take(material: WebhookMaterial): void {
    if (JSON.stringify(material) === JSON.stringify(this.#material)) return;
    this.#renewed(checked(material));
    this.#material = material;
  }
}

function checked(material: WebhookMaterial): WebhookMaterial {
  const missing = Object.entries(material).flatMap(([name, text]) => (text === '' ? [name] : []));
  // An empty secret would let everybody in.
  if (missing.length > 0) throw new ExpectedError(`the webhook's Secret has no ${missing.join(', ')}`);
  return material;
}
