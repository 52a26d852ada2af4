/** An argument that makes no sense; exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
