import { existsSync, readFileSync, statSync } from 'node:fs';
import { distPath, PLATFORMS } from '../../../build/platforms.ts';
import { binaryPath, bundlePath } from '../../../build/project.ts';
import { zstdSize } from '../../../build/sizes.ts';
import type { Row, Verdict } from '../row.ts';
import { slipwayBinary } from '../slipway-binary.ts';

/** Bytes that a program may have, as it is and as an image or a registry keeps it; and a bundle, which each start reads. */
const GOALS = { binary: 125e6, binaryZstd: 33e6, bundle: 2e6 };

/**
 * Bundle and binary as they lie in dist/, the binary also as `zstd -19` makes it; of the other binaries there, which differ in
 * nothing but their Node.js or hold less, the size as it is.
 */
export const size: Row = async ({ say }) => {
  const binary = readFileSync(slipwayBinary());
  const bundle = readFileSync(bundlePath);
  say('compressing the binary, which takes about half a minute');
  const verdict = (what: string, value: number, goal: number): Verdict => ({
    what,
    value,
    goal,
    direction: 'most',
    unit: 'bytes',
  });
  return {
    about: 'size of bundle and binary',
    runs: 1,
    standings: [],
    verdicts: [
      verdict('binary', binary.length, GOALS.binary),
      verdict('binary, zstd -19', zstdSize(binary), GOALS.binaryZstd),
      verdict('bundle', bundle.length, GOALS.bundle),
      ...others().map(([name, size]) => verdict(name, size, GOALS.binary)),
    ],
    notes: [],
  };
};

/** Name and size in bytes of each other binary that is there. */
function others(): [string, number][] {
  return PLATFORMS.flatMap((platform) =>
    (['slipway', 'slipway-controller'] as const).flatMap((program): [string, number][] => {
      const path = distPath(program, platform);
      if (path === binaryPath || !existsSync(path)) return [];
      return [[`${program}-${platform}`, statSync(path).size]];
    }),
  );
}
