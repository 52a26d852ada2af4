import type { Budget } from './budget.ts';
import { iterate } from './values/arithmetic.ts';
import { pairsOf } from './values/collection-methods.ts';
import { bind } from './values/signature.ts';
import { type CallArgs, Callable, Dict, Range, Thing, type Value, ValueError } from './values/values.ts';

/** Functions that every template can call. */
export function globals(budget: Budget): Map<string, Value> {
  const functions: Record<string, (args: CallArgs) => Value> = {
    range: (args) => range(args),
    dict: (args) => makeDict(args, budget),
    namespace: (args) => namespace(makeDict(args, budget)),
    cycler: ({ positional }) => cycler(positional),
    joiner: (args) => joiner(bind('joiner', args, ['sep?'])[0] ?? ', '),
  };
  return new Map(Object.entries(functions).map(([name, call]) => [name, new Callable(name, call)]));
}

function range(args: CallArgs): Value {
  const numbers = args.positional.map((each) => {
    if (typeof each !== 'bigint') throw new ValueError('range needs whole numbers.');
    return each;
  });
  const [first, second, step = 1n] = numbers;
  if (first === undefined || numbers.length > 3 || args.named.size > 0)
    throw new ValueError('range takes one to three numbers.');
  if (step === 0n) throw new ValueError('The step of range cannot be zero.');
  const made = second === undefined ? new Range(0n, first, step) : new Range(first, second, step);
  // The sandbox of Jinja2 has the same limit.
  if (made.length > 100_000) throw new ValueError('range is longer than 100000.');
  return made;
}

function makeDict({ positional, named }: CallArgs, budget: Budget): Dict {
  const dict = new Dict();
  for (const source of positional) {
    const pairs = source instanceof Dict ? source.pairs : pairsOf(source, (each) => iterate(each, budget));
    for (const [key, value] of pairs) dict.set(key, value);
  }
  for (const [key, value] of named) dict.set(key, value);
  return dict;
}

function namespace(values: Dict): Thing {
  return new Thing('Namespace', (name) => values.get(name), {
    assign: (name, value) => {
      values.set(name, value);
    },
  });
}

function cycler(items: readonly Value[]): Thing {
  if (items.length === 0) throw new ValueError('cycler needs at least one value.');
  let position = 0;
  const current = (): Value => items[position] ?? null;
  const next = new Callable('next', () => {
    const value = current();
    position = (position + 1) % items.length;
    return value;
  });
  const reset = new Callable('reset', () => {
    position = 0;
    return null;
  });
  const members: Record<string, () => Value> = { next: () => next, reset: () => reset, current };
  return new Thing('Cycler', (name) => (Object.hasOwn(members, name) ? members[name]?.() : undefined));
}

function joiner(separator: Value): Thing {
  let used = false;
  const call = (): Value => {
    if (used) return separator;
    used = true;
    return '';
  };
  return new Thing('Joiner', () => undefined, { call });
}
