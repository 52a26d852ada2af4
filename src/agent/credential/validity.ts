import { createHash, X509Certificate } from 'node:crypto';

/** Moments in milliseconds since 1970. */
interface Validity {
  /** From then on another one is asked for. */
  readonly renewAt: number;
  /** From then on it is not given out. */
  readonly usableUntil: number;
  readonly expiresAt: number;
}

/** A tenth of the lifetime, and an hour at most, lie between the last use and the end. */
const MARGIN = { part: 0.1, mostMs: 3_600_000 };
/** Of the lifetime; nodes that joined together do not renew together. */
const RENEWAL = { least: 0.7, more: 0.15 };

/** When a certificate is due for renewal, and until when it counts. */
export function validityOf(certificate: string): Validity {
  const { validFrom, validTo, raw } = new X509Certificate(certificate);
  const [from, expiresAt] = [Date.parse(validFrom), Date.parse(validTo)];
  const life = expiresAt - from;
  const spread = createHash('sha256').update(raw).digest().readUInt8(0) / 255;
  return {
    renewAt: from + life * (RENEWAL.least + RENEWAL.more * spread),
    usableUntil: expiresAt - Math.min(life * MARGIN.part, MARGIN.mostMs),
    expiresAt,
  };
}
