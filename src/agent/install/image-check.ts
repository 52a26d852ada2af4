/** One thing that an image needs, or must not have. */
export interface Look {
  readonly what: string;
  readonly ok: boolean;
  /** What comes of it where it is not as it should be, and what helps. */
  readonly why?: string;
}

export function look(what: string, ok: boolean, why: string): Look {
  return ok ? { what, ok } : { what, ok, why };
}
