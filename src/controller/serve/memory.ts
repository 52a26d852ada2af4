import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 5_000;
/** Growth that is worth a pause of some tens of milliseconds. */
const GROWTH_BYTES = 48 * 1024 * 1024;

type Collect = (options: { type: 'major'; execution: 'async' }) => Promise<void>;

/**
 * Gives memory of closed connections back. What TLS holds lies outside of V8's heap: V8 sees small objects, has no reason to
 * look for those that are dead, and the process would grow by a hundred kilobytes with each machine that has come and gone.
 *
 * @returns stops it
 */
export function keepMemoryLow(rss: () => number = () => process.memoryUsage.rss()): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  let floor = rss();
  const timer = setInterval(() => {
    const now = rss();
    if (now < floor) floor = now;
    if (now - floor < GROWTH_BYTES) return;
    void collect({ type: 'major', execution: 'async' }).then(() => {
      floor = rss();
    });
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
