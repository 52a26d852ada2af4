/**
 * Milliseconds that an answer asks for with `Retry-After` (RFC 9110, 10.2.3: seconds, or a date); undefined where it does
 * not, or what it says makes no sense. A date is reckoned from the answer's own `Date`, since this machine's clock may be
 * wrong by years.
 *
 * @param now in milliseconds since 1970, for answers without `Date`
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const { 'retry-after': wish, date: sent } = headers;
  // One that comes twice makes no sense.
  if (typeof wish !== 'string') return undefined;
  if (/^\d{1,9}$/.test(wish)) return Number(wish) * 1000;
  const date = Date.parse(wish);
  const answered = Date.parse(typeof sent === 'string' ? sent : '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(answered) ? now : answered));
}
