/**
 * Milliseconds that a `Retry-After` header asks for (RFC 9110, 10.2.3: seconds, or a date); undefined where there is none
 * that makes sense.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
