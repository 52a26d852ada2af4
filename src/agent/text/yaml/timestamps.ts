import { ScalarError } from './scalar-error.ts';

const PARTS =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|[ \t]+)(\d{1,2}):(\d{2}):(\d{2})(?:\.(\d*))?(?:[ \t]*(?:(Z)|([-+])(\d{1,2})(?::(\d{2}))?))?)?$/;

/**
 * The date or datetime that PyYAML reads from `text`, as Python's `str()` writes it. cloud-init takes this
 * text wherever an unquoted date stands in place of a string.
 *
 * @throws ScalarError if there is no such day or time
 */
export function timestampText(text: string): string {
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour,
    minute,
    second,
    fraction,
    zulu,
    sign,
    zoneHour,
    zoneMinute,
  ] = PARTS.exec(text) ?? [];
  const date = `${year}-${two(month)}-${two(day)}`;
  if (!exists(Number(year), Number(month), Number(day))) throw new ScalarError('There is no such date.');
  if (hour === undefined || minute === undefined || second === undefined) return date;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) {
    throw new ScalarError('There is no such time of day.');
  }
  const micros = (fraction ?? '').slice(0, 6).padEnd(6, '0');
  const time = `${two(hour)}:${minute}:${second}${micros === '000000' ? '' : `.${micros}`}`;
  return `${date} ${time}${zone(zulu, sign, zoneHour, zoneMinute)}`;
}

function zone(zulu?: string, sign?: string, hours?: string, minutes?: string): string {
  if (zulu !== undefined) return '+00:00';
  if (sign === undefined || hours === undefined) return '';
  const total = Number(hours) * 60 + Number(minutes ?? '0');
  if (total >= 24 * 60) throw new ScalarError('There is no such time zone.');
  const shown = `${two(String(Math.floor(total / 60)))}:${two(String(total % 60))}`;
  return total === 0 ? '+00:00' : `${sign}${shown}`;
}

function exists(year: number, month: number, day: number): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day <= days;
}

function two(digits: string): string {
  return digits.padStart(2, '0');
}
