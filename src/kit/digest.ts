import { createHash } from 'node:crypto';

/** SHA-256 in hex of `value` as JSON with sorted keys and hashed bytes. Equal values have equal digests. */
export function digest(value: unknown): string {
  return sha256(JSON.stringify(canonical(value)));
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Compares bytes with `FUNCTION-SUM`, such as `sha512-...` in hex. */
export function hasHash(bytes: Uint8Array, hash: string): boolean {
  const [name = '', sum = ''] = hash.split('-', 2);
  return createHash(name).update(bytes).digest('hex') === sum.toLowerCase();
}

function canonical(value: unknown): unknown {
  if (value instanceof Uint8Array) return { sha256: sha256(value) };
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonical(item)]),
  );
}
