import type { Standing } from './measure/interleave.ts';

/** One measured ratio or size, and the goal it is held against. */
export interface Verdict {
  readonly what: string;
  readonly value: number;
  readonly goal: number;
  /** `least`: the value must not be below the goal; `most`: not above it. */
  readonly direction: 'least' | 'most';
  readonly unit: 'times' | 'bytes' | 'ms' | 'count';
}

export interface RowResult {
  /** What ran, in one line. */
  readonly about: string;
  readonly runs: number;
  readonly standings: readonly Standing[];
  readonly verdicts: readonly Verdict[];
  /** What the verdicts sum up: rows of cells, the first one names the columns. */
  readonly table?: readonly (readonly string[])[];
  /** Sentences: who could not take part and why. */
  readonly notes: readonly string[];
}

export interface RowOptions {
  /** Runs of each contender; absent, the row's own number. */
  readonly runs?: number;
  /** Progress, for a person. */
  readonly say: (line: string) => void;
}

/** @throws BenchError with the sentence why the row cannot be measured here. */
export type Row = (options: RowOptions) => Promise<RowResult>;

export function met({ value, goal, direction }: Verdict): boolean {
  return direction === 'most' ? value <= goal : value >= goal;
}
