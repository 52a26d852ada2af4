import { createHash } from 'node:crypto';

/** SHA-256 in hex of `value` as JSON with sorted keys and hashed bytes. Equal values have equal digests. */
export function digest(value: unknown): string {
  return sha256(Buffer.from(canonical(value)));
}

/** Compares bytes with `FUNCTION-SUM`, such as `sha512-...` in hex. */
export function hasHash(bytes: Uint8Array, hash: string): boolean {
  const [name = '', sum = ''] = hash.split('-', 2);
  return createHash(name).update(bytes).digest('hex') === sum.toLowerCase();
}

/** As `JSON.stringify` has it, but for the order of keys and bytes. */
function canonical(value: unknown): string {
  if (value instanceof Uint8Array) return `{"sha256":"${sha256(value)}"}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === undefined) return 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  let text = '';
  for (const key of inOrder(Object.keys(value))) {
    const item = (value as Record<string, unknown>)[key];
    if (item !== undefined) text += `${text && ','}${JSON.stringify(key)}:${canonical(item)}`;
  }
  return `{${text}}`;
}

/** By UTF-16 units, and numbers before all others, as in the objects of which digests have always been made. */
function inOrder(keys: string[]): string[] {
  const sorted = keys.sort();
  return sorted.some((key) => /^\d/.test(key))
    ? Object.keys(Object.fromEntries(sorted.map((key) => [key, undefined])))
    : sorted;
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
