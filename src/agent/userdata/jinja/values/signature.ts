import { type CallArgs, type Value, ValueError } from './values.ts';

/**
 * Binds arguments by position or name, in the order of `names`; undefined if missing. Names with `?` are
 * optional.
 *
 * @throws ValueError for missing, unknown and repeated arguments, like Python
 */
export function bind(what: string, args: CallArgs, names: readonly string[]): (Value | undefined)[] {
  if (args.positional.length > names.length)
    throw new ValueError(`Slipway supports at most ${names.length} arguments of ${what}.`);
  const plain = names.map((name) => name.replace('?', ''));
  for (const name of args.named.keys()) {
    const index = plain.indexOf(name);
    if (index === -1)
      throw new ValueError(`Slipway does not support the argument ${name.slice(0, 40)} of ${what}.`);
    if (index < args.positional.length) throw new ValueError(`${what} gets ${name} twice.`);
  }
  return names.map((name, index) => {
    const value =
      index < args.positional.length ? args.positional[index] : args.named.get(plain[index] ?? '');
    if (value === undefined && !name.endsWith('?'))
      throw new ValueError(`${what} needs the argument ${name}.`);
    return value;
  });
}

/** A string argument. @throws ValueError for anything else */
export function needText(what: string, value: Value | undefined, otherwise?: string): string {
  if (value === undefined && otherwise !== undefined) return otherwise;
  if (typeof value === 'string') return value;
  throw new ValueError(`${what} needs a string.`);
}

/** An integer that is small enough to count with. */
export function needCount(what: string, value: Value | undefined, otherwise?: number): number {
  if (value === undefined && otherwise !== undefined) return otherwise;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'bigint' && value > -(2n ** 53n) && value < 2n ** 53n) return Number(value);
  throw new ValueError(`${what} needs a whole number.`);
}
