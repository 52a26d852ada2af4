import type { Fault } from './try-input.ts';

/** What the worker is to do: inputs of a seed, or these bytes alone. */
export interface Task {
  targets: readonly string[];
  seed: string;
  /** Inputs for each target besides its examples; absent: as many as come in `ms`, shared by all targets. */
  runs?: number;
  ms?: number;
  /** Whether the examples are tried as they are too; absent: yes. */
  examples?: boolean;
  /** An input of its own, for a replay. */
  bytes?: Uint8Array;
  /** File for the input at work, behind a line with its target: for who watches, should this process never come back. */
  current: string;
}

export type Message =
  | { kind: 'fault'; target: string; index: number; fault: Fault; bytes: Uint8Array }
  | { kind: 'done'; target: string; runs: number };
