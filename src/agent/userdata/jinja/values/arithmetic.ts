import type { Budget } from './budget.ts';
import { defined, Sequence, typeName, Undefined, type Value, ValueError } from './values.ts';

/** Bits of the largest integer; Python itself refuses to print more than 4300 digits (14,000 bits). */
const MAX_BITS = 14_000;

/** `+` of integers, strings and lists; `-`, `*`, `//` and `%` of integers. @throws ValueError for all else */
export function arithmetic(operator: string, left: Value, right: Value, budget: Budget): Value {
  if (operator === '-' && left instanceof Undefined) throw new ValueError(subtraction(left, right));
  defined(left);
  defined(right);
  if (typeof left === 'bigint' && typeof right === 'bigint') return integers(operator, left, right);
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return budget.text(left + right);
    if (left instanceof Sequence && right instanceof Sequence && left.kind === right.kind) {
      if (left.kind === 'list' || left.kind === 'tuple')
        return new Sequence(left.kind, budget.items([...left.items, ...right.items]));
    }
  }
  throw new ValueError(
    `Slipway does not know the operator ${operator} between ${typeName(left)} and ${typeName(right)}; ${advice(operator)}.`,
  );
}

function advice(operator: string): string {
  if (operator === '+') return 'join texts and values with ~, or make numbers of them with "| int"';
  return `${operator} takes whole numbers, which "| int" makes`;
}

function subtraction(left: Undefined, right: Value): string {
  const name = left.name.slice(0, 60);
  const other = right instanceof Undefined ? right.name.slice(0, 60) : '...';
  return `"${name}" is not defined; for a name with a hyphen write "${name}_${other}" in place of "${name}-${other}".`;
}

function integers(operator: string, a: bigint, b: bigint): bigint {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') {
    if (bits(a) + bits(b) > MAX_BITS) throw new ValueError('The number becomes too large.');
    return a * b;
  }
  if (b === 0n) throw new ValueError('Division by zero.');
  const quotient = a / b;
  const floor = a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
  return operator === '//' ? floor : a - floor * b;
}

function bits(value: bigint): number {
  return value.toString(16).length * 4;
}
