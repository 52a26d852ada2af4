/**
 * The shape of a config as data: what a key holds, since which minor version of the spec it is known, and what
 * makes two items of a list the same. Reading, the search for duplicates and merging all follow it.
 */
export type Shape = Scalar | List | Struct;

interface Scalar {
  kind: 'string' | 'integer' | 'boolean';
}

export interface List<Item extends Shape = Shape> {
  kind: 'list';
  item: Item;
  /** What makes two items the same; an item of a list without it may stand there twice. */
  key: ((item: never) => string) | undefined;
  /** Lists of one struct with the same name share their keys: a path is a file or a link, not both. */
  together: string | undefined;
}

export interface Struct<Fields extends Record<string, Field> = Record<string, Field>> {
  kind: 'struct';
  fields: Fields;
}

interface Field<Of extends Shape = Shape> {
  shape: Of;
  since: number;
}

/** What a value of the shape is, once read. A key that is not there, or null, is undefined. */
export type Value<Of> = Of extends { kind: 'string' }
  ? string
  : Of extends { kind: 'integer' }
    ? number
    : Of extends { kind: 'boolean' }
      ? boolean
      : Of extends { kind: 'list'; item: infer Item }
        ? Value<Item>[]
        : Of extends { kind: 'struct'; fields: infer Fields }
          ? { -readonly [Key in keyof Fields]?: Fields[Key] extends { shape: infer S } ? Value<S> : never }
          : never;

export const STRING = { kind: 'string' } as const satisfies Scalar;
export const INTEGER = { kind: 'integer' } as const satisfies Scalar;
export const BOOLEAN = { kind: 'boolean' } as const satisfies Scalar;

/** Keys of an object: each a shape, or a field with its `since`. */
export function struct<const Given extends Record<string, Shape | Field>>(
  given: Given,
): Struct<{
  [Key in keyof Given]: Given[Key] extends Field ? Given[Key] : Field<Extract<Given[Key], Shape>>;
}> {
  const fields = Object.fromEntries(
    Object.entries(given).map(([key, of]) => [key, 'shape' in of ? of : { shape: of, since: 0 }]),
  );
  return { kind: 'struct', fields: fields as never };
}

/** A key that the spec has since this minor version. */
export function since<Of extends Shape>(minor: number, shape: Of): Field<Of> {
  return { shape, since: minor };
}

/** @param key What makes two items the same; by default the item itself. */
export function list<Item extends Shape>(
  item: Item,
  key?: (item: Value<Item>) => string,
  together?: string,
): List<Item> {
  return { kind: 'list', item, key: key ?? ((plain: unknown) => String(plain)), together };
}

/** A list in which an item may stand twice; two of them are merged one behind the other. */
export function plainList<Item extends Shape>(item: Item): List<Item> {
  return { kind: 'list', item, key: undefined, together: undefined };
}
