import { p256, p384, p521 } from '@noble/curves/nist.js';
import { textAt } from '../../../kit/json.ts';

export interface Curve {
  /** Its name in a JWK. */
  crv: string;
  /** Its name in OpenSSL. */
  name: string;
  Point: typeof p256.Point;
}

export type Point = InstanceType<Curve['Point']>;

/** The curves that tang makes keys of. */
export const CURVES: readonly Curve[] = [
  { crv: 'P-521', name: 'secp521r1', Point: p521.Point },
  { crv: 'P-384', name: 'secp384r1', Point: p384.Point },
  { crv: 'P-256', name: 'prime256v1', Point: p256.Point },
];

/** @returns undefined where the JWK has no point of this curve */
export function pointOf({ crv, Point }: Curve, jwk: unknown): Point | undefined {
  const [x, y] = ['x', 'y'].map((name) => Buffer.from(textAt(jwk, name) ?? '', 'base64url')) as [
    Buffer,
    Buffer,
  ];
  const { BYTES } = Point.Fp;
  if (textAt(jwk, 'crv') !== crv || x.length !== BYTES || y.length !== BYTES) return undefined;
  try {
    return Point.fromBytes(Buffer.concat([Buffer.of(4), x, y]));
  } catch {
    // It does not lie on the curve.
    return undefined;
  }
}

/** @param point not the one at infinity, which has no coordinates */
export function jwkOf({ crv }: Curve, point: Point): { crv: string; kty: 'EC'; x: string; y: string } {
  const both = Buffer.from(point.toBytes(false)).subarray(1);
  const [x, y] = [both.subarray(0, both.length / 2), both.subarray(both.length / 2)];
  return { crv, kty: 'EC', x: x.toString('base64url'), y: y.toString('base64url') };
}
