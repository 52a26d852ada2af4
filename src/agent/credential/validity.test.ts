import { expect, it } from 'vitest';
import { Authority } from '../../pki/authority.ts';
import { validityOf } from './validity.ts';

const HOUR = 3_600_000;

it.each([
  ['minutes', 10 * 60_000],
  ['a day', 24 * HOUR],
  ['a year', 365 * 24 * HOUR],
])('is due before it is of no use any more, and of no use before it ends: %s', (_, lifeMs) => {
  const { certificate, privateKey } = Authority.create('cluster');
  const { cert } = new Authority(certificate, privateKey).server(['n1'], lifeMs);
  const { renewAt, usableUntil, expiresAt } = validityOf(cert);
  expect(renewAt).toBeLessThan(usableUntil);
  expect(usableUntil).toBeLessThan(expiresAt);
  expect(expiresAt - usableUntil).toBeLessThanOrEqual(HOUR);
});
