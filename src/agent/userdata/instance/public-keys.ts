/** Metadata's `public-keys`: a text, a list, or a mapping of names. */
export function publicKeysOf(metaData: Record<string, unknown>): string[] {
  const value = metaData['public-keys'] ?? metaData.public_keys;
  const list =
    typeof value === 'string' ? value.split('\n') : Array.isArray(value) ? value : Object.values(value ?? {});
  return list.flat().flatMap((key) => (typeof key === 'string' && key !== '' ? [key] : []));
}
