import { contains } from '../values/compare.ts';
import { bind } from '../values/signature.ts';
import { type CallArgs, Dict, isNumeric, Sequence, Undefined, type Value } from '../values/values.ts';

type Test = (value: Value, args: CallArgs) => boolean;

const bare =
  (name: string, holds: (value: Value) => boolean): Test =>
  (value, args) => {
    bind(`the test ${name}`, args, []);
    return holds(value);
  };

function isSequence(value: Value): boolean {
  if (value instanceof Sequence) return value.kind !== 'view';
  return typeof value === 'string' || value instanceof Dict || value instanceof Undefined;
}

/** The tests that may follow `is`. */
export const TESTS: Readonly<Record<string, Test>> = {
  defined: bare('defined', (value) => !(value instanceof Undefined)),
  undefined: bare('undefined', (value) => value instanceof Undefined),
  none: bare('none', (value) => value === null),
  boolean: bare('boolean', (value) => typeof value === 'boolean'),
  true: bare('true', (value) => value === true),
  false: bare('false', (value) => value === false),
  integer: bare('integer', (value) => typeof value === 'bigint'),
  number: bare('number', isNumeric),
  string: bare('string', (value) => typeof value === 'string'),
  mapping: bare('mapping', (value) => value instanceof Dict),
  sequence: bare('sequence', isSequence),
  iterable: bare('iterable', (value) => isSequence(value) || value instanceof Sequence),
  in: (value, args) => contains(bind('the test in', args, ['seq'])[0] ?? null, value),
};
