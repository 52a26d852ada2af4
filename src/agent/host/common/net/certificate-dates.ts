import { X509Certificate } from 'node:crypto';

/** What tells of the clock and whom it follows. */
export const CLOCK_TOOL = process.platform === 'win32' ? 'w32tm /query /status' : 'timedatectl';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Explains certificates that were refused for their dates: which one it is, and when it is valid. Machines
 * boot with clocks that are years behind, so it mentions the clock too. It gives the clock's distance instead
 * of its time, so that the words stay the same from one attempt to the next.
 *
 * @param peer the server's own certificate, in DER
 * @param ca PEM of the configured authorities
 * @param now this machine's clock, in milliseconds since 1970
 * @returns undefined if all of them are valid by that clock, so that another certificate is to blame
 */
export function explainCertificateDates(
  peer: Uint8Array | undefined,
  ca: string | undefined,
  now: number,
): string | undefined {
  const theirs = peer ? [{ whose: 'its certificate', certificate: new X509Certificate(peer) }] : [];
  const ours = certificatesIn(ca ?? '').map((certificate) => ({
    whose: 'the CA of its certificate',
    certificate,
  }));
  for (const { whose, certificate } of [...theirs, ...ours]) {
    const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
    const dates = `from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}`.replaceAll(
      '.000Z',
      'Z',
    );
    if (now < from) {
      return `${whose} is valid ${dates}, which by this machine's clock begins in ${span(from - now)}: the clock is probably behind (${CLOCK_TOOL})`;
    }
    if (now > to) {
      return `${whose} was valid ${dates}, which by this machine's clock ended ${span(now - to)} ago: renew it, or set the clock if that is ahead (${CLOCK_TOOL})`;
    }
  }
  return undefined;
}

/** Skips unreadable certificates; other code reports those. */
function certificatesIn(pem: string): X509Certificate[] {
  return (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap((text) => {
    try {
      return [new X509Certificate(text)];
    } catch {
      return [];
    }
  });
}

function span(ms: number): string {
  const [count, unit] =
    ms >= 2 * DAY_MS
      ? [ms / DAY_MS, 'days']
      : ms >= 2 * HOUR_MS
        ? [ms / HOUR_MS, 'hours']
        : ms >= 2 * MINUTE_MS
          ? [ms / MINUTE_MS, 'minutes']
          : [ms / 1000, 'seconds'];
  return `${Math.round(count)} ${unit}`;
}
