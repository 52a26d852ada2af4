/**
 * Milliseconds that an answer's `Retry-After` asks for (RFC 9110, 10.2.3: seconds or a date); undefined if it
 * is missing or makes no sense. A date counts relative to the answer's own `Date`, because this machine's
 * clock may be years off.
 *
 * @param now milliseconds since 1970, for answers without `Date`
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const { 'retry-after': wish, date: sent } = headers;
  // Two such headers make no sense.
  if (typeof wish !== 'string') return undefined;
  if (/^\d{1,9}$/.test(wish)) return Number(wish) * 1000;
  const date = Date.parse(wish);
  const answered = Date.parse(typeof sent === 'string' ? sent : '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(answered) ? now : answered));
}
