import { ECDH } from 'node:crypto';

/** A curve of NIST: y² = x³ - 3x + b over the field of this prime. */
export interface Curve {
  /** Its name in a JWK. */
  crv: string;
  /** Its name in OpenSSL. */
  name: string;
  prime: bigint;
  bytes: number;
}

/** The curves that tang makes keys of. */
export const CURVES: readonly Curve[] = [
  { crv: 'P-521', name: 'secp521r1', prime: 2n ** 521n - 1n, bytes: 66 },
  {
    crv: 'P-384',
    name: 'secp384r1',
    prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
    bytes: 48,
  },
  {
    crv: 'P-256',
    name: 'prime256v1',
    prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    bytes: 32,
  },
];

export interface Point {
  x: bigint;
  y: bigint;
}

/** @returns undefined if it does not lie on the curve */
export function pointOf({ name, bytes }: Curve, x: Buffer, y: Buffer): Point | undefined {
  if (x.length !== bytes || y.length !== bytes) return undefined;
  const whole = Buffer.concat([Buffer.of(4), x, y]);
  try {
    // OpenSSL looks whether it is on the curve.
    ECDH.convertKey(whole, name, undefined, undefined, 'compressed');
  } catch {
    return undefined;
  }
  return { x: number(x), y: number(y) };
}

/** Both points with this x, one the negative of the other. */
export function bothPoints({ name, bytes }: Curve, x: Buffer): [Point, Point] {
  const padded = Buffer.concat([Buffer.alloc(bytes - x.length), x]);
  const points = [2, 3].map((sign) => {
    const whole = ECDH.convertKey(
      Buffer.concat([Buffer.of(sign), padded]),
      name,
      undefined,
      undefined,
      'uncompressed',
    );
    const coordinates = Buffer.from(whole as Buffer).subarray(1);
    return { x: number(coordinates.subarray(0, bytes)), y: number(coordinates.subarray(bytes)) };
  });
  return points as [Point, Point];
}

/**
 * The sum of two points. OpenSSL adds none, so this does; it is not constant in time, and is for points that say nothing of a
 * secret without another one.
 *
 * @returns undefined for the point at infinity, and where both are the same
 */
export function sum({ prime }: Curve, a: Point, b: Point): Point | undefined {
  if (a.x === b.x) return undefined;
  const slope = modulo((b.y - a.y) * inverse(modulo(b.x - a.x, prime), prime), prime);
  const x = modulo(slope * slope - a.x - b.x, prime);
  return { x, y: modulo(slope * (a.x - x) - a.y, prime) };
}

export function coordinate(value: bigint, { bytes }: Curve): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * bytes, '0'), 'hex');
}

function number(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}

function modulo(value: bigint, prime: bigint): bigint {
  const rest = value % prime;
  return rest < 0n ? rest + prime : rest;
}

/** By the extended algorithm of Euclid. */
function inverse(value: bigint, prime: bigint): bigint {
  let [a, b] = [value, prime];
  let [x, y] = [1n, 0n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
  }
  return modulo(x, prime);
}
