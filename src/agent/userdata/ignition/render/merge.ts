import type { Places } from '../schema/bind.ts';
import type { List, Shape, Struct } from '../schema/shape.ts';
import { CONFIG_2, type Config2 } from '../schema/spec2.ts';
import { CONFIG, type Config } from '../schema/spec3.ts';

type Plain = Record<string, unknown>;

/**
 * Lays a config over another one by the rules of Ignition's config/merge: what the child says wins; lists are joined item by
 * item where their items have keys, else one behind the other; a path of the child takes the place of whatever the parent
 * has there, also of another kind.
 */
export function merge(parent: Config, child: Config, places: Places): Config {
  return mergedStruct(parent as Plain, child as Plain, CONFIG, places) as Config;
}

/** Appends a config of spec 2 to another one: all lists are joined, a single value of the second counts. */
export function append(first: Config2, second: Config2, places: Places): Config2 {
  const whole = mergedStruct(first as Plain, second as Plain, CONFIG_2, places) as Config2;
  // Those to append were appended.
  const { config: _, ...ignition } = whole.ignition ?? {};
  return { ...whole, ignition };
}

function mergedStruct(parent: Plain, child: Plain, { fields }: Struct, places: Places): Plain {
  const result: Plain = {};
  places.adopt(result, child);
  for (const [name, { shape }] of Object.entries(fields)) {
    const [under, over] = [parent[name], child[name]];
    const both = under !== undefined && over !== undefined;
    const isList = shape.kind === 'list';
    // A list of the parent may lose items to another list of the child.
    const value = isList
      ? mergedList(name, parent, child, fields, places)
      : both
        ? merged(under, over, shape, places)
        : (over ?? under);
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function merged(under: unknown, over: unknown, shape: Shape, places: Places): unknown {
  return shape.kind === 'struct' ? mergedStruct(under as Plain, over as Plain, shape, places) : over;
}

function mergedList(
  name: string,
  parent: Plain,
  child: Plain,
  fields: Struct['fields'],
  places: Places,
): unknown[] | undefined {
  const [under, over] = [parent[name], child[name]] as (unknown[] | undefined)[];
  if (under === undefined) return over;
  const list = fields[name]?.shape as List;
  const { key, item, together } = list;
  if (key === undefined) return joined(under, over, places);
  const keyOf = key as (of: unknown) => string;
  const mine = new Map((over ?? []).map((one) => [keyOf(one), one]));
  const elsewhere = new Set(
    Object.entries(fields).flatMap(([other, { shape }]) =>
      other !== name && together !== undefined && shape.kind === 'list' && shape.together === together
        ? ((child[other] as unknown[] | undefined) ?? []).map(shape.key as (of: unknown) => string)
        : [],
    ),
  );
  const kept = under.flatMap((one) => {
    const by = keyOf(one);
    const own = mine.get(by);
    if (own !== undefined) return takesAway(name, own) ? [] : [merged(one, own, item, places)];
    return elsewhere.has(by) ? [] : [one];
  });
  const known = new Set(under.map(keyOf));
  const added = (over ?? []).filter((one) => !known.has(keyOf(one)));
  return joined(kept, added, places, over ?? under);
}

/** A header without a value is one that is not to be sent. */
function takesAway(name: string, item: unknown): boolean {
  return name === 'httpHeaders' && (item as Plain).value === undefined;
}

function joined(
  first: unknown[],
  second: unknown[] | undefined,
  places: Places,
  from = second ?? first,
): unknown[] {
  const all = [...first, ...(second ?? [])];
  places.adopt(all, from);
  return all;
}
