import { randomBytes } from 'node:crypto';
import { ExpectedError } from '../../kit/errors.ts';
import { ACTIVE_AFTER_MS } from './rotation.ts';

const KEY_BYTES = 32;

/** The key that signs Machines' tokens, in base64, as it is stored. Times are milliseconds since 1970. */
export interface TokenMaterial {
  readonly key: string;
  /** Until then the previous one signs. */
  readonly activeFrom?: number;
  /** What counts beside it until a time. */
  readonly previous?: { readonly key: string; readonly until: number };
}

export function makeTokenMaterial(): TokenMaterial {
  return { key: randomBytes(KEY_BYTES).toString('base64') };
}

/** @param overlapMs how long the present key counts beside the next one; 0 if it counts no longer at once */
export function rotateTokenMaterial(
  present: TokenMaterial,
  overlapMs: number,
  now = Date.now(),
): TokenMaterial {
  const next = makeTokenMaterial();
  if (overlapMs === 0) return next;
  const previous = { key: present.key, until: now + overlapMs };
  return { ...next, activeFrom: now + ACTIVE_AFTER_MS, previous };
}

/** The keys of Machines' tokens as they count now. */
export class TokenKeys {
  #material: TokenMaterial;

  /** @throws ExpectedError where a key is too short to be one: with an empty one anybody could make tokens */
  constructor(material: TokenMaterial) {
    this.#material = checked(material);
  }

  /** Takes what is stored now. @throws ExpectedError; what was there before counts on */
  take(material: TokenMaterial): void {
    this.#material = checked(material);
  }

  /** The one that signs. */
  get signing(): Uint8Array {
    const [first = new Uint8Array()] = this.all;
    return first;
  }

  /** All that count; the one that signs is the first. */
  get all(): readonly Uint8Array[] {
    const { key, previous, activeFrom = 0 } = this.#material;
    const present = Buffer.from(key, 'base64');
    if (!previous || Date.now() >= previous.until) return [present];
    const before = Buffer.from(previous.key, 'base64');
    return Date.now() < activeFrom ? [before, present] : [present, before];
  }
}

function checked(material: TokenMaterial): TokenMaterial {
  for (const text of [material.key, ...(material.previous ? [material.previous.key] : [])])
    if (Buffer.from(text, 'base64').length < KEY_BYTES)
      throw new ExpectedError("the key of Machines' tokens in its Secret is missing or too short");
  return material;
}
