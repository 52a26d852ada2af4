import { parseSeconds } from '../../../kit/duration.ts';
import { UsageError } from '../../../kit/errors.ts';
import type { Level } from '../../log.ts';
import { parseListen } from '../../serve/settings.ts';

export function listen(text: string, option: string) {
  try {
    return parseListen(text);
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`);
  }
}

export function count(text: string, option: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError(`${option}: ${text} is not a whole number of at least 1`);
}

export function milliseconds(text: string, option: string): number {
  const seconds = parseSeconds(text);
  if (seconds === undefined || seconds < 60)
    throw new UsageError(`${option}: ${text} is not a duration of at least a minute; write 15m or 1h`);
  return seconds * 1000;
}

export function level(text: string): Level {
  const known = (['debug', 'info', 'warn', 'error'] as const).find((name) => name === text);
  if (known) return known;
  throw new UsageError(`--log-level: ${text} is not one of debug, info, warn, error`);
}
