/** A mapping of JSON or YAML, of which nothing is known. */
export type JsonRecord = Record<string, unknown>;

export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonRecord)
    : undefined;
}

/** The value at a path of keys and indexes, or undefined. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

/** A string that is not empty; numbers and booleans in their text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The strings of a list, of a mapping's values, or of lines; nothing of anything else. */
export function textsOf(value: unknown): string[] {
  const items =
    typeof value === 'string'
      ? value.split('\n')
      : typeof value === 'object' && value
        ? Object.values(value)
        : [];
  return items.flatMap((item) => (typeof item === 'string' && item.trim() !== '' ? [item.trim()] : []));
}

/** A string at a path of keys, or undefined. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const text = at(value, ...path);
  return typeof text === 'string' ? text : undefined;
}

/** The members that have a value: with exact optional types an absent member and one that is undefined differ. */
export function omitUndefined<T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
