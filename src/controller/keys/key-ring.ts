import { Authority } from '../../pki/authority.ts';
import { ACTIVE_AFTER_MS } from './rotation.ts';
import type { TokenMaterial } from './token-keys.ts';

const NAME = 'Slipway controller';

interface Generation {
  readonly certificate: string;
  readonly privateKey: string;
}

/** What is stored. Times are milliseconds since 1970. */
export interface Material extends Generation {
  /** Until then the previous authority signs. */
  readonly activeFrom?: number;
  /** What counts beside it until a time. */
  readonly previous?: Generation & {
    readonly until: number;
    /** The certificate of the previous authority for the present one. */
    readonly cross: string;
  };
  /** A controller before 0.2 kept the key of Machines' tokens here. */
  readonly tokens?: TokenMaterial;
}

export function makeMaterial(): Material {
  return Authority.create(NAME);
}

/**
 * The next authority.
 *
 * @param overlapMs how long the present one counts beside it; 0 if it counts no longer at once
 */
export function rotateMaterial(present: Material, overlapMs: number, now = Date.now()): Material {
  const next = makeMaterial();
  if (overlapMs === 0) return next;
  const until = now + overlapMs;
  const { certificate, privateKey } = present;
  const cross = new Authority(certificate, privateKey).vouchFor(
    new Authority(next.certificate, next.privateKey),
    new Date(until),
    now,
  );
  return {
    ...next,
    activeFrom: now + ACTIVE_AFTER_MS,
    previous: { certificate, privateKey, until, cross },
  };
}

/** The controller's authority as it counts now. It is made once, and all replicas share it. */
export class Keys {
  #material: Material;
  #authorities: { present: Authority; previous: Authority | undefined };

  constructor(material: Material) {
    this.#material = material;
    this.#authorities = authoritiesOf(material);
  }

  /** Takes what is stored now. */
  take(material: Material): void {
    if (JSON.stringify(material) === JSON.stringify(this.#material)) return;
    this.#authorities = authoritiesOf(material);
    this.#material = material;
  }

  /** The one that signs. */
  get authority(): Authority {
    const { present, previous } = this.#authorities;
    return this.#isWaiting && previous ? previous : present;
  }

  /** All that count, in PEM; the one that signs is the first. */
  get trusted(): string {
    const { certificate } = this.#material;
    const previous = this.#previous?.certificate ?? '';
    return this.#isWaiting ? `${previous}${certificate}` : `${certificate}${previous}`;
  }

  /** What a server shows behind its own certificate, so that those believe it who know the previous authority. */
  get chain(): string {
    return this.#isWaiting ? '' : (this.#previous?.cross ?? '');
  }

  get #previous(): Material['previous'] {
    const { previous } = this.#material;
    return previous && Date.now() < previous.until ? previous : undefined;
  }

  get #isWaiting(): boolean {
    return this.#previous !== undefined && Date.now() < (this.#material.activeFrom ?? 0);
  }
}

function authoritiesOf({ certificate, privateKey, previous }: Material) {
  return {
    present: new Authority(certificate, privateKey),
    previous: previous && new Authority(previous.certificate, previous.privateKey),
  };
}
