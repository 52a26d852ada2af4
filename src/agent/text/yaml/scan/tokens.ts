/** The tokens of a YAML text; `at` is the offset of the first character. */
export type Token =
  | { kind: Structure; at: number }
  | { kind: 'alias'; name: string; at: number }
  | { kind: 'anchor'; name: string; at: number }
  | { kind: 'tag'; handle: string | undefined; suffix: string; at: number }
  | { kind: 'directive'; name: string; value: readonly string[]; at: number }
  /** `half`: an escape in it stands for half a character. */
  | { kind: 'scalar'; text: string; plain: boolean; at: number; half?: boolean; literal?: Literal }
  | { kind: 'broken'; error: Error; at: number };

/** A text whose lines stand in the source as they are, but for the indentation: from the first line to the end of the last. */
export interface Literal {
  from: number;
  to: number;
  indent: number;
}

export type Structure =
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'end';
