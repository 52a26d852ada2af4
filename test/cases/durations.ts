import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir } from '../lab/cache/cache.ts';

/** Seconds by name of the case, as they last were on this host. */
type Durations = Readonly<Record<string, number>>;

/** Where nothing was measured yet: those that take minutes. */
const SLOWEST: Durations = {
  controller: 270,
  report: 220,
  image: 170,
  preflight: 170,
  cluster: 140,
  repeat: 140,
  late: 140,
};

const FILE = (): string => join(cacheDir(), 'case-seconds.json');

/** The names, what took longest first, so that what begins last ends soon. What was never measured may be long. */
export function longestFirst(names: readonly string[], durations: Durations = readDurations()): string[] {
  const seconds = (name: string): number => durations[name] ?? Number.POSITIVE_INFINITY;
  return [...names].sort((a, b) => {
    const [first, second] = [seconds(a), seconds(b)];
    return first === second ? a.localeCompare(b) : second - first;
  });
}

/** Keeps what was measured, for the order of the next run. */
export function keepDurations(measured: Durations): void {
  mkdirSync(dirname(FILE()), { recursive: true });
  writeFileSync(`${FILE()}.${process.pid}`, `${JSON.stringify({ ...readDurations(), ...measured })}\n`);
  renameSync(`${FILE()}.${process.pid}`, FILE());
}

function readDurations(): Durations {
  try {
    return JSON.parse(readFileSync(FILE(), 'utf8'));
  } catch {
    // The first run on this host, or a file that somebody spoilt.
    return SLOWEST;
  }
}
