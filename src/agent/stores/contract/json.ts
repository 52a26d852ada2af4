/** Values of answers of stores, which may be anything. */

/** What lies in an object behind these keys; undefined where there is none. */
export function at(value: unknown, ...keys: readonly string[]): unknown {
  let inner = value;
  for (const key of keys) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined;
    inner = (inner as Record<string, unknown>)[key];
  }
  return inner;
}

export function textAt(value: unknown, ...keys: readonly string[]): string | undefined {
  const text = at(value, ...keys);
  return typeof text === 'string' ? text : undefined;
}
