/** Keeps what was asked for, an error too, until it is to be forgotten. */
export function once<T>(ask: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let known: Promise<T> | undefined;
  return {
    get() {
      known ??= ask();
      return known;
    },
    forget() {
      known = undefined;
    },
  };
}
