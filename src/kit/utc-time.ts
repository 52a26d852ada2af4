/**
 * The same as `time.toISOString()` for the years 0 to 9999. That method loads ICU's time zones: 0.8 MB of
 * resident memory and 0.3 ms for a process that needs nothing else of them (docs/reporting.md).
 */
export function utcTime(time: Date): string {
  const pad = (value: number, width = 2): string => String(value).padStart(width, '0');
  const day = `${pad(time.getUTCFullYear(), 4)}-${pad(time.getUTCMonth() + 1)}-${pad(time.getUTCDate())}`;
  const clock = `${pad(time.getUTCHours())}:${pad(time.getUTCMinutes())}:${pad(time.getUTCSeconds())}`;
  return `${day}T${clock}.${pad(time.getUTCMilliseconds(), 3)}Z`;
}
