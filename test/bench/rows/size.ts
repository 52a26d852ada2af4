import { existsSync, readFileSync, statSync } from 'node:fs';
import { distPath, PLATFORMS } from '../../../build/platforms.ts';
import { binaryPath, bundlePath } from '../../../build/project.ts';
import { zstdSize } from '../../../build/sizes.ts';
import type { Row, Verdict } from '../row.ts';
import { slipwayBinary } from '../slipway-binary.ts';

/** Goals in bytes for the binary; the bundle's are set so that the start-up goal stays within reach. */
const GOALS = { binary: 120e6, binaryZstd: 33e6, bundle: 1e6, bundleZstd: 0.3e6 };

/**
 * Bundle and binary as they lie in dist/, raw and as `zstd -19` makes them; of the other binaries there, which differ in
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
      verdict('bundle, zstd -19', zstdSize(bundle), GOALS.bundleZstd),
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
