import type { Usage } from './measure.ts';

interface Contender {
  readonly label: string;
  /** One whole run. */
  readonly run: () => Usage | Promise<Usage>;
}

export interface Standing extends Usage {
  readonly label: string;
}

/**
 * Runs every contender `runs` times in turn, so that whatever else the machine does falls on all of them, after one
 * round that only warms the page cache.
 *
 * @returns the median of each figure, in the contenders' order
 */
export async function interleave(contenders: readonly Contender[], runs: number): Promise<Standing[]> {
  const usages: Usage[][] = contenders.map(() => []);
  for (let round = 0; round <= runs; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      const usage = await contender.run();
      if (round > 0) usages[index]?.push(usage);
    }
  }
  return contenders.map(({ label }, index) => {
    const own = usages[index] ?? [];
    return {
      label,
      wallMs: median(own.map(({ wallMs }) => wallMs)),
      cpuMs: median(own.map(({ cpuMs }) => cpuMs)),
      peakMib: median(own.map(({ peakMib }) => peakMib)),
    };
  });
}

/** @returns the middle value, or the mean of the two in the middle; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle - 0.5)] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}
