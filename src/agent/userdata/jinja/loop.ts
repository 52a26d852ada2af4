import { equal } from './values/compare.ts';
import { type CallArgs, Callable, Thing, Tuple, Undefined, type Value, ValueError } from './values/values.ts';

/** The `loop` variable of a for block, and the way to move it to the next item. */
export interface Loop {
  value: Thing;
  advance(): void;
}

/** `depth` counts from 1; `recurse` is there for loops marked `recursive`. */
export function makeLoop(
  items: readonly Value[],
  depth: number,
  recurse: ((args: CallArgs) => Value) | undefined,
): Loop {
  let index = -1;
  let changedFrom: Value | undefined;
  const neighbour = (at: number): Value =>
    at >= 0 && at < items.length ? (items[at] ?? null) : new Undefined('None');
  const cycle = new Callable('cycle', ({ positional }) => {
    if (positional.length === 0) throw new ValueError('loop.cycle needs at least one value.');
    return positional[index % positional.length] ?? null;
  });
  const changed = new Callable('changed', ({ positional }) => {
    const now = new Tuple(positional);
    const different = changedFrom === undefined || !equal(changedFrom, now);
    changedFrom = now;
    return different;
  });
  const members: Record<string, () => Value> = {
    index: () => BigInt(index + 1),
    index0: () => BigInt(index),
    revindex: () => BigInt(items.length - index),
    revindex0: () => BigInt(items.length - index - 1),
    first: () => index === 0,
    last: () => index === items.length - 1,
    length: () => BigInt(items.length),
    depth: () => BigInt(depth),
    depth0: () => BigInt(depth - 1),
    previtem: () => neighbour(index - 1),
    nextitem: () => neighbour(index + 1),
    cycle: () => cycle,
    changed: () => changed,
  };
  const member = (name: string): Value | undefined =>
    Object.hasOwn(members, name) ? members[name]?.() : undefined;
  const value = new Thing('LoopContext', member, recurse === undefined ? {} : { call: recurse });
  return {
    value,
    advance: () => {
      index += 1;
    },
  };
}
