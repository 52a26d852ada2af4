/** A connection that broke is tried again, as a machine does; what the other end has said is not. @throws Error */
export function forgiven(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
}
