/** When a line was written, from the prefix that tells it. */
import type { LogTime } from './line.ts';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const ISO = /\d{4}-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?/;
const SYSLOG = /\b([A-Z][a-z]{2})\.? +(\d{1,2}) (\d\d):(\d\d):(\d\d)/;
const KLOG = /^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\./;

/** Undefined where there is no date that is understood; months in other languages than English are not. */
export function clockTime(head: string): LogTime | undefined {
  const iso = ISO.exec(head);
  if (iso !== null) return at(Number(iso[1]), iso.slice(2), iso[6] ?? '');
  const klog = KLOG.exec(head);
  if (klog !== null) return at(Number(klog[1]), klog.slice(2), '');
  const syslog = SYSLOG.exec(head);
  const month = MONTHS.indexOf(syslog?.[1]?.toLowerCase() ?? '');
  return syslog === null || month < 0 ? undefined : at(month + 1, syslog.slice(2), '');
}

function at(month: number, parts: readonly (string | undefined)[], zone: string): LogTime {
  const [day = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
  return {
    seconds: (((month * 31 + day) * 24 + hours) * 60 + minutes) * 60 + seconds,
    zone: /^(?:Z|UTC|[+-]00:?00)$/.test(zone) ? 'Z' : zone.replace(':', ''),
  };
}
