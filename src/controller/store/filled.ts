/**
 * The value with a space for each empty text in it. API servers turn an empty text in a JSON patch into null, in
 * whatever depth, and then refuse the object, or keep the null.
 */
export function filled<T>(value: T): T {
  return fill(value) as T;
}

function fill(value: unknown): unknown {
  if (value === '') return ' ';
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner)]));
}
