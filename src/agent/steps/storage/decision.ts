/** What is to be done with a disk. */
export type Decision =
  /** It is as asked; `partitions`: how many the kernel is to show. */
  | { kind: 'keep'; partitions?: number }
  | { kind: 'leave'; holds: string }
  | {
      kind: 'write';
      /** For sfdisk. */
      flags: string[];
      script: string;
      /** How many partitions are made, changed or deleted, and how many there are then. */
      changes: number;
      partitions: number;
      /** Numbers of new ones, where what an earlier partition at the same place held is not to be found again. */
      cleared: number[];
    };
