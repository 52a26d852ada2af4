import { clockTime } from '../transcript/time.ts';

/** Seconds. More is no journal that is late, but a kubelet in another time zone; those differ by a quarter of an hour and more. */
const LATE = 14 * 60;

/**
 * Whether the head that klog writes says that a line is of before an attempt began: on a busy machine the journal gets and
 * hands on seconds late what a kubelet that has ended wrote.
 */
export function isOlder(line: string, begun: Date): boolean {
  const two = (value: number): string => String(value).padStart(2, '0');
  const [month, day] = [begun.getMonth() + 1, begun.getDate()].map(two);
  const clock = [begun.getHours(), begun.getMinutes(), begun.getSeconds()].map(two).join(':');
  const since = clockTime(`I${month}${day} ${clock}.`)?.seconds ?? 0;
  const written = /^[IWEF]\d{4} /.test(line) ? clockTime(line)?.seconds : undefined;
  return written !== undefined && written < since && since - written < LATE;
}
