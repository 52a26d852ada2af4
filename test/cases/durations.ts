import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir } from '../lab/cache/cache.ts';

/** Seconds by name of the case, as they last were on this host. */
type Durations = Readonly<Record<string, number>>;

/** Those that take minutes, for the first run on a host: begun last, they would run alone in the end. */
const SLOWEST: Durations = {
  windows: 350,
  packages: 300,
  controller: 240,
  'user-data': 240,
  identity: 210,
  report: 210,
  preflight: 160,
  failures: 140,
  'fresh-debian': 180,
  late: 140,
  hostile: 110,
  'sealed-control-plane': 110,
  'first-boot': 105,
  image: 105,
  cluster: 100,
  diagnose: 100,
  release: 100,
  repeat: 100,
};

/** Seconds of a case of which nothing is known. */
const TYPICAL = 60;

const FILE = (): string => join(cacheDir(), 'case-seconds.json');

/** The names, what took longest first, so that what begins last ends soon. */
export function longestFirst(names: readonly string[], durations: Durations = readDurations()): string[] {
  const seconds = (name: string): number => durations[name] ?? TYPICAL;
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
    return { ...SLOWEST, ...JSON.parse(readFileSync(FILE(), 'utf8')) };
  } catch {
    // The first run on this host, or a file that somebody spoilt.
    return SLOWEST;
  }
}
