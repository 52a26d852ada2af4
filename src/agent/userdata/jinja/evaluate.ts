import { FILTERS } from './filters/filters.ts';
import { TESTS } from './filters/tests.ts';
import type { Scope } from './scope.ts';
import type { Args, Expr } from './syntax/ast.ts';
import { TemplateError } from './syntax/template-error.ts';
import type { Budget } from './values/budget.ts';
import { compare } from './values/compare.ts';
import { range } from './values/iterate.ts';
import { attribute, callMethod, slice, subscript } from './values/members.ts';
import { str } from './values/text.ts';
import { isUnsupported, unknownNameMessage } from './values/unsupported.ts';
import {
  type CallArgs,
  Dict,
  defined,
  Sequence,
  truth,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from './values/values.ts';

/** Computes expressions. An error in a value becomes a `TemplateError` at the innermost expression. */
export class Evaluator {
  readonly #budget: Budget;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  evaluate(expr: Expr, scope: Scope): Value {
    return this.at(expr.at, () => {
      this.#budget.step();
      return this.#evaluate(expr, scope);
    });
  }

  /** Runs `work`; turns its value errors into errors of the template at `offset`. */
  at<T>(offset: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof ValueError) throw new TemplateError(error.message, offset);
      throw error;
    }
  }

  #evaluate(expr: Expr, scope: Scope): Value {
    switch (expr.type) {
      case 'const':
        return expr.value;
      case 'name':
        return variable(expr.name, scope);
      case 'list':
      case 'tuple':
        return new Sequence(expr.type, this.#all(expr.items, scope));
      case 'concat':
        return this.#budget.text(expr.items.map((item) => str(this.#visited(item, scope))).join(''));
      case 'dict':
        return new Dict(
          expr.entries.map(([key, value]) => [this.#visited(key, scope), this.evaluate(value, scope)]),
        );
      case 'attribute':
        return attribute(this.evaluate(expr.object, scope), expr.name);
      case 'item':
        return subscript(this.#visited(expr.object, scope), this.#visited(expr.key, scope));
      case 'slice':
        return slice(
          this.#visited(expr.object, scope),
          this.#optional(expr.start, scope),
          this.#optional(expr.stop, scope),
          this.#optional(expr.step, scope),
        );
      case 'method':
        return callMethod(
          this.#visited(expr.object, scope),
          expr.name,
          this.#arguments(expr.args, scope),
          this.#budget,
        );
      case 'call':
        return this.#call(expr, scope);
      case 'filter':
      case 'test':
        return this.#apply(expr, scope);
      case 'unary':
        return unary(expr.operator, this.evaluate(expr.value, scope));
      case 'binary':
        return this.#binary(expr, scope);
      case 'compare':
        return this.#compare(expr, scope);
      default:
        return this.#condition(expr, scope);
    }
  }

  /** Computes a value whose items the caller will visit. */
  #visited(expr: Expr, scope: Scope): Value {
    const value = this.evaluate(expr, scope);
    this.#budget.visit(value);
    return value;
  }

  #all(expressions: readonly Expr[], scope: Scope): Value[] {
    return expressions.map((expr) => this.evaluate(expr, scope));
  }

  #optional(expr: Expr | undefined, scope: Scope): Value | undefined {
    return expr === undefined ? undefined : this.evaluate(expr, scope);
  }

  #call({ name, args }: Expr & { type: 'call' }, scope: Scope): Value {
    const own = scope.get(name);
    if (own !== undefined) throw new ValueError(`${typeName(own)} cannot be called.`);
    if (name === 'range') return range(this.#arguments(args, scope), this.#budget);
    defined(variable(name, scope));
    throw new ValueError(unknownNameMessage('function', name));
  }

  #apply(expr: Expr & { type: 'filter' | 'test' }, scope: Scope): Value {
    const value = this.#visited(expr.value, scope);
    const args = this.#arguments(expr.args, scope);
    const found = expr.type === 'filter' ? FILTERS[expr.name] : TESTS[expr.name];
    if (found === undefined) throw new ValueError(unknownNameMessage(expr.type, expr.name));
    return found(value, args, this.#budget);
  }

  #binary({ operator, left, right }: Expr & { type: 'binary' }, scope: Scope): Value {
    const first = this.evaluate(left, scope);
    if (operator === 'and') return truth(first) ? this.evaluate(right, scope) : first;
    if (operator === 'or') return truth(first) ? first : this.evaluate(right, scope);
    return arithmetic(operator, first, this.evaluate(right, scope), this.#budget);
  }

  #compare(expr: Expr & { type: 'compare' }, scope: Scope): boolean {
    let left = this.evaluate(expr.first, scope);
    for (const { operator, value } of expr.rest) {
      const right = this.evaluate(value, scope);
      this.#budget.visit(left);
      this.#budget.visit(right);
      if (!compare(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  /** Without an "else", the result is undefined and prints as nothing. */
  #condition({ test, yes, no }: Expr & { type: 'condition' }, scope: Scope): Value {
    if (truth(this.evaluate(test, scope))) return this.evaluate(yes, scope);
    return no === undefined ? new Undefined('else', '') : this.evaluate(no, scope);
  }

  #arguments({ positional, named }: Args, scope: Scope): CallArgs {
    return {
      positional: positional.map((value) => this.#visited(value, scope)),
      named: new Map(named.map(({ name, value }) => [name, this.#visited(value, scope)])),
    };
  }
}

function variable(name: string, scope: Scope): Value {
  const value = scope.get(name);
  if (value !== undefined) return value;
  if (name === 'range') throw new ValueError('range is a function and needs parentheses: range(...).');
  if (isUnsupported('function', name)) throw new ValueError(unknownNameMessage('function', name));
  return new Undefined(name);
}

function unary(operator: '-' | '+' | 'not', value: Value): Value {
  if (operator === 'not') return !truth(value);
  defined(value);
  if (typeof value !== 'bigint' && typeof value !== 'number')
    throw new ValueError(`The operator ${operator} cannot be applied to ${typeName(value)}.`);
  return operator === '-' ? -value : value;
}

/** Bits of the largest integer; Python itself refuses to print more than 4300 digits (14,000 bits). */
const MAX_BITS = 14_000;

/** `+` of integers, strings and lists; `-`, `*`, `//` and `%` of integers. @throws ValueError for all else */
function arithmetic(operator: string, left: Value, right: Value, budget: Budget): Value {
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
    `Slipway does not support the operator ${operator} between ${typeName(left)} and ${typeName(right)}; ${advice(operator)}.`,
  );
}

function advice(operator: string): string {
  if (operator === '+') return 'join strings and values with ~, or convert them to numbers with "| int"';
  return `${operator} takes whole numbers; convert with "| int"`;
}

function subtraction(left: Undefined, right: Value): string {
  const name = left.name.slice(0, 60);
  const other = right instanceof Undefined ? right.name.slice(0, 60) : '...';
  return `"${name}" is not defined; for a name with a hyphen, write "${name}_${other}" instead of "${name}-${other}".`;
}

function integers(operator: string, a: bigint, b: bigint): bigint {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') {
    if (bits(a) + bits(b) > MAX_BITS) throw new ValueError('The number is too large.');
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
