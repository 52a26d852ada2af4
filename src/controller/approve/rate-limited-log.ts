import { Rates } from '../../kit/rates.ts';
import type { Level, Log } from '../log.ts';

/** A thousand machines that join at once write a few thousand lines. */
const LINES = { burst: 5_000, perSecond: 2 };

/** A log in which one cluster has so many lines; who has taken over its API server decides how many there would be. */
export function rateLimitedLog(log: Log, cluster: string, now?: () => number): Log {
  const rates = new Rates(LINES, now);
  let left = 0;
  const limited =
    (level: Level): Log['info'] =>
    (message, fields) => {
      if (rates.take('') > 0) {
        left += 1;
        if (left === 1) log.warn('a cluster causes too many lines; some are left out', { cluster });
        return;
      }
      if (left > 1) log.warn('lines of a cluster were left out', { cluster, lines: left });
      left = 0;
      log[level](message, fields);
    };
  return { debug: limited('debug'), info: limited('info'), warn: limited('warn'), error: limited('error') };
}
