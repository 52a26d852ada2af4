/** A file that is added to a machine's bootstrap data. */
export interface InsertedFile {
  /** Absolute path on the machine. */
  readonly path: string;
  /** Permission bits. */
  readonly mode: number;
  readonly content: string;
}

/** What became of bootstrap data. */
export type Insertion =
  | { readonly kind: 'inserted'; readonly text: string }
  /** A file of this path is there already. */
  | { readonly kind: 'present' }
  /** Nothing can be added without a risk to what the user wrote. */
  | { readonly kind: 'unsupported'; readonly reason: string };

export function unsupported(reason: string): Insertion {
  return { kind: 'unsupported', reason };
}
