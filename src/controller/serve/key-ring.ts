import { randomBytes } from 'node:crypto';
import { Authority } from '../../pki/authority.ts';

const NAME = 'Slipway controller';
/** Every replica has learnt of a new authority before the first one signs with it. */
export const ACTIVE_AFTER_MS = 30_000;

/** One authority with the key that signs Machines' tokens; both are replaced together. */
interface Generation {
  readonly certificate: string;
  readonly privateKey: string;
  /** In base64. */
  readonly tokenKey: string;
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
}

export function makeMaterial(): Material {
  return { ...Authority.create(NAME), tokenKey: randomBytes(32).toString('base64') };
}

/**
 * The next authority and the next token key.
 *
 * @param overlapMs how long the present ones count beside them; 0 if they count no longer at once
 */
export function rotated(present: Material, overlapMs: number, now = Date.now()): Material {
  const next = makeMaterial();
  if (overlapMs === 0) return next;
  const until = now + overlapMs;
  const { certificate, privateKey, tokenKey } = present;
  const cross = new Authority(certificate, privateKey).vouchFor(
    new Authority(next.certificate, next.privateKey),
    new Date(until),
    now,
  );
  return {
    ...next,
    activeFrom: now + ACTIVE_AFTER_MS,
    previous: { certificate, privateKey, tokenKey, until, cross },
  };
}

/** The controller's keys as they count now. They are made once, and all replicas share them. */
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

  get tokenKey(): Uint8Array {
    const [first = new Uint8Array()] = this.tokenKeys;
    return first;
  }

  /** All that count; the one that signs is the first. */
  get tokenKeys(): readonly Uint8Array[] {
    const present = Buffer.from(this.#material.tokenKey, 'base64');
    if (!this.#previous) return [present];
    const previous = Buffer.from(this.#previous.tokenKey, 'base64');
    return this.#isWaiting ? [previous, present] : [present, previous];
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
