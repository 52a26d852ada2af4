/** One thing that an image needs, or must not have. */
export interface ImageCheck {
  readonly what: string;
  readonly ok: boolean;
  /** What comes of it where it is not as it should be, and what helps. */
  readonly why?: string;
}

export function imageCheck(what: string, ok: boolean, why: string): ImageCheck {
  return ok ? { what, ok } : { what, ok, why };
}
