import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Gauge } from '../web/registry.ts';

const LOOK_MS = 5_000;
/** So much growth is worth a pause of some tens of milliseconds. */
const GROWTH_BYTES = 48 * 1024 * 1024;
/** So many closed connections hold about as much. */
const MANY_CLOSED = 256;

interface Options {
  type: 'major';
  execution: 'async';
  /** `last-resort` also returns pages that V8 would keep for later; it takes several times as long. */
  flavor: 'regular' | 'last-resort';
}

/**
 * Frees the memory of closed connections. TLS keeps its memory outside of V8's heap: V8 sees only small
 * objects and no reason to collect them, so each machine that comes and goes would cost a hundred kilobytes.
 * This collects when the process has grown, when many connections have closed, and when the last ones have.
 *
 * @param closed counts all connections ever closed
 * @returns stops it
 */
export function freeMemory(closed: () => number, rss = () => process.memoryUsage.rss()): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: Options) => Promise<void>;
  let floor = rss();
  const seen = { before: 0, collected: 0 };
  const timer = setInterval(() => {
    const [now, gone] = [rss(), closed()];
    if (now < floor) floor = now;
    const isQuiet = gone === seen.before && gone > seen.collected;
    seen.before = gone;
    if (now - floor < GROWTH_BYTES && gone - seen.collected < MANY_CLOSED && !isQuiet) return;
    seen.collected = gone;
    const flavor = isQuiet ? 'last-resort' : 'regular';
    void collect({ type: 'major', execution: 'async', flavor }).then(() => {
      floor = rss();
    });
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Uses the names of Prometheus' client library for Node.js. */
export function memoryGauges(): Gauge[] {
  const gauge = (name: string, help: string, read: (usage: NodeJS.MemoryUsage) => number): Gauge =>
    new Gauge(name, help, () => [{ value: read(process.memoryUsage()) }]);
  return [
    gauge('process_resident_memory_bytes', 'Resident memory.', ({ rss }) => rss),
    gauge('nodejs_heap_size_total_bytes', "V8's heap, used or not.", ({ heapTotal }) => heapTotal),
    gauge('nodejs_heap_size_used_bytes', "V8's heap in use, garbage included.", ({ heapUsed }) => heapUsed),
    gauge(
      'nodejs_external_memory_bytes',
      "Held by V8's objects outside of the heap.",
      ({ external }) => external,
    ),
  ];
}
