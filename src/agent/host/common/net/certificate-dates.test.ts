import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { Authority } from '../../../../pki/authority.ts';
import { explainCertificateDates } from './certificate-dates.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-15T12:00:00Z');
const made = Authority.create('Test', NOW);
const authority = new Authority(made.certificate, made.privateKey);
// Valid from the day before.
const { cert } = authority.server(['localhost'], 30 * DAY_MS, NOW);
const peer = new X509Certificate(cert).raw;
const dates = 'from 2026-06-14T12:00:00Z to 2026-07-15T12:00:00Z';

it('says how far a clock is off the dates of a certificate, in words that stay the same for a while', () => {
  const at = (time: string) => explainCertificateDates(peer, undefined, Date.parse(time));
  const behind = 'the clock is probably behind (timedatectl)';
  expect(at('2020-01-01T00:00:30Z')).toBe(
    `its certificate is valid ${dates}, which by this machine's clock begins in 2356 days: ${behind}`,
  );
  expect(at('2020-01-01T00:03:30Z')).toBe(at('2020-01-01T00:00:30Z'));
  expect(at('2026-06-14T09:00:00Z')).toContain('begins in 3 hours');
  expect(at('2026-06-14T11:15:00Z')).toContain('begins in 45 minutes');
  expect(at('2026-06-14T11:59:10Z')).toContain('begins in 50 seconds');
  expect(at('2026-07-18T12:00:00Z')).toBe(
    `its certificate was valid ${dates}, which by this machine's clock ended 3 days ago: renew it, or set the clock if that is ahead (timedatectl)`,
  );
});

it('finds a CA that is not valid by that clock, also among several', () => {
  const young = Authority.create('Young', NOW + 10 * DAY_MS).certificate;
  const ca = `${made.certificate}\n# another\n${young}`;
  expect(explainCertificateDates(peer, ca, NOW)).toMatch(
    /^the CA of its certificate is valid from 2026-06-24T12:00:00Z/,
  );
  // Through a proxy only the configured ones are known.
  expect(explainCertificateDates(undefined, ca, NOW)).toMatch(/^the CA of its certificate is valid/);
});

it('says nothing where all that is known is valid, or cannot be read', () => {
  expect(explainCertificateDates(peer, made.certificate, NOW)).toBeUndefined();
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
  expect(explainCertificateDates(undefined, broken, NOW)).toBeUndefined();
});
