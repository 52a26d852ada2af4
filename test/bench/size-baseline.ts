import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { megabytes } from '../../build/sizes.ts';
import type { Verdict } from './row.ts';

const PATH = join(import.meta.dirname, 'size-baseline.json');

/** How much a size may grow over the accepted one before the gate closes. */
const ALLOWED_GROWTH = 1.05;

/** Sizes in bytes by name, as they were last accepted. */
type Baseline = Record<string, number>;

/** @returns one sentence for every size that has grown too much, and for every one without an accepted size. */
export function grownSizes(verdicts: readonly Verdict[], baseline = readBaseline()): string[] {
  return verdicts.flatMap(({ what, value }) => {
    const accepted = baseline[what];
    if (accepted === undefined) return [`${what}: no accepted size; npm run bench -- size --accept notes it`];
    if (value <= accepted * ALLOWED_GROWTH) return [];
    const growth = ((value / accepted - 1) * 100).toFixed(1);
    return [
      `${what}: ${megabytes(value)} is ${growth} % over the accepted ${megabytes(accepted)}; ` +
        'find out why, or accept it with npm run bench -- size --accept',
    ];
  });
}

/** Notes the present sizes as accepted; those of platforms that were not built stay. */
export function acceptSizes(verdicts: readonly Verdict[]): void {
  const now = Object.fromEntries(verdicts.map(({ what, value }) => [what, value]));
  const baseline = { ...readBaseline(), ...now };
  writeFileSync(PATH, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

function readBaseline(): Baseline {
  return JSON.parse(readFileSync(PATH, 'utf8')) as Baseline;
}
