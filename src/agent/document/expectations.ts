/** What the machine is to be, as `slipway: {expect: ...}` says. */

export interface Expectations {
  /** A machine that is otherwise is refused, or warned of. */
  unmet: 'fail' | 'warn';
  numbers: NumberExpectation[];
  words: WordExpectation[];
  /** Each entry is to be met by a disk of its own. */
  disks: DiskExpectation[];
  /** Words that the models are to have in them, in any case; each by a GPU of its own. */
  gpuModels: string[];
}

export const EXPECTED_NUMBERS = ['memory', 'cpus', 'cores', 'sockets', 'gpus', 'numaNodes'] as const;
export const EXPECTED_WORDS = ['architecture', 'virtualisation', 'firmware', 'secureBoot', 'tpm'] as const;

export interface Comparison {
  op: '>=' | '<=' | '>' | '<' | '=';
  /** Bytes where it is a size. */
  value: number;
  /** As it was written. */
  text: string;
}

interface NumberExpectation extends Comparison {
  what: (typeof EXPECTED_NUMBERS)[number];
  where?: { line: number; column: number };
}

interface WordExpectation {
  what: (typeof EXPECTED_WORDS)[number];
  value: string;
  where?: { line: number; column: number };
}

export interface DiskExpectation {
  size?: Comparison;
  rotational?: boolean;
  model?: string;
}
