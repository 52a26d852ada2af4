/** When a line was written, from the prefix that tells it. */
import type { LogTime } from './line.ts';

/** How the names of months begin in the languages in which journald's short forms are met; longer beginnings come first. */
const MONTHS: readonly [month: number, beginnings: RegExp][] = [
  [1, /^(?:jan|ene|gen|янв|sty|sij|oca|led|1月)/],
  [2, /^(?:feb|fév|fev|фев|lut|şub|úno|2月)/],
  [3, /^(?:mar|mär|mrt|maa|мар|бер|3月)/],
  [4, /^(?:apr|avr|abr|апр|kwi|nis|4月)/],
  [5, /^(?:may|mai|mag|mei|maj|май|мая|5月)/],
  [6, /^(?:jun|juin|giu|июн|cze|haz|6月)/],
  [7, /^(?:jul|juil|lug|июл|lip|tem|7月)/],
  [8, /^(?:aug|aoû|aou|ago|авг|sie|ağu|8月)/],
  [9, /^(?:sep|set|сен|wrz|eyl|9月)/],
  [10, /^(?:oct|okt|out|ott|окт|paź|eki|10月)/],
  [11, /^(?:nov|ноя|lis|kas|11月)/],
  [12, /^(?:dec|déc|dez|dic|des|дек|gru|ara|12月)/],
];

const ISO = /\d{4}-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?/;
const NAME = '(\\d{1,2}月|\\p{L}{2,9})';
/** `Nov 21`, `nov. 21`, `11月 21`. */
const SYSLOG = new RegExp(`(?:^|\\s)${NAME}\\.? +(\\d{1,2})日?,? (\\d\\d):(\\d\\d):(\\d\\d)`, 'u');
/** `21 nov`, `21. Nov`. */
const DAY_FIRST = new RegExp(`(?:^|\\s)(\\d{1,2})\\.? ${NAME}\\.?,? (\\d\\d):(\\d\\d):(\\d\\d)`, 'u');
const KLOG = /^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\./;

/** Undefined where there is no date that is understood. */
export function clockTime(head: string): LogTime | undefined {
  const iso = ISO.exec(head);
  if (iso !== null) return at(Number(iso[1]), iso.slice(2), iso[6] ?? '');
  const klog = KLOG.exec(head);
  if (klog !== null) return at(Number(klog[1]), klog.slice(2), '');
  const [, name, ...syslog] = SYSLOG.exec(head) ?? [];
  const month = monthOf(name);
  if (month !== undefined) return at(month, syslog, '');
  const [, day, second, ...clock] = DAY_FIRST.exec(head) ?? [];
  const other = monthOf(second);
  return other === undefined ? undefined : at(other, [day, ...clock], '');
}

function monthOf(name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const lower = name.toLowerCase();
  // `11月` does not begin with `1月`.
  return MONTHS.findLast(([, beginnings]) => beginnings.test(lower))?.[0];
}

function at(month: number, parts: readonly (string | undefined)[], zone: string): LogTime {
  const [day = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(Number);
  return {
    seconds: (((month * 31 + day) * 24 + hours) * 60 + minutes) * 60 + seconds,
    zone: /^(?:Z|UTC|[+-]00:?00)$/.test(zone) ? 'Z' : zone.replace(':', ''),
  };
}
