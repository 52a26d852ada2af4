import type { Budget } from './budget.ts';
import type { FilterContext } from './filters/filter-context.ts';
import { LIST_FILTERS } from './filters/filters-list.ts';
import { TEXT_FILTERS } from './filters/filters-text.ts';
import { VALUE_FILTERS } from './filters/filters-value.ts';
import { TESTS } from './filters/tests.ts';
import type { Scope } from './scope.ts';
import type { Args, Expr } from './syntax/ast.ts';
import { TemplateError } from './template-error.ts';
import { arithmetic, iterate, toNumber } from './values/arithmetic.ts';
import { compare, isNumeric } from './values/compare.ts';
import { attribute, slice, subscript } from './values/members.ts';
import {
  type CallArgs,
  Callable,
  Dict,
  defined,
  List,
  str,
  Thing,
  Tuple,
  truth,
  typeName,
  Undefined,
  type Value,
  ValueError,
} from './values/values.ts';

const FILTERS = { ...TEXT_FILTERS, ...LIST_FILTERS, ...VALUE_FILTERS };

/** Is there a filter of that name? Jinja2 checks this before it renders. */
export function isFilter(name: string): boolean {
  return Object.hasOwn(FILTERS, name);
}

export function isTest(name: string): boolean {
  return Object.hasOwn(TESTS, name) || name === 'filter' || name === 'test';
}

/** Computes expressions. Errors of values become `TemplateError`s at the place of the innermost expression. */
export class Evaluator {
  readonly budget: Budget;
  readonly #context: FilterContext;

  constructor(budget: Budget) {
    this.budget = budget;
    this.#context = {
      budget,
      filter: (name, value, args) => this.#applyFilter(name, value, args),
      test: (name, value, args) => this.#applyTest(name, value, args),
    };
  }

  evaluate(expr: Expr, scope: Scope): Value {
    return this.at(expr.at, () => {
      this.budget.step();
      return this.#evaluate(expr, scope);
    });
  }

  /** Runs `work`; what goes wrong with values in it is an error of the template at `offset`. */
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
        return orUndefined(scope.get(expr.name), expr.name);
      case 'list':
        return new List(expr.items.map((item) => this.evaluate(item, scope)));
      case 'tuple':
        return new Tuple(expr.items.map((item) => this.evaluate(item, scope)));
      case 'dict':
        return this.#dict(expr.entries, scope);
      case 'attribute':
        return attribute(this.evaluate(expr.object, scope), expr.name, this.budget);
      case 'item':
        return this.#item(expr.object, expr.key, scope);
      case 'slice':
        throw new TemplateError('A slice stands where a value must be.', expr.at);
      case 'call':
        return this.call(this.evaluate(expr.target, scope), this.arguments(expr.args, scope));
      case 'filter':
        return this.applyFilterExpression(
          expr,
          expr.value === undefined ? null : this.evaluate(expr.value, scope),
          scope,
        );
      case 'test':
        return this.#test(expr, scope);
      case 'unary':
        return this.#unary(expr.operator, this.evaluate(expr.value, scope));
      case 'binary':
        return this.#binary(expr, scope);
      case 'compare':
        return this.#compare(expr, scope);
      case 'concat':
        return this.budget.text(expr.items.map((item) => str(this.evaluate(item, scope))).join(''));
      default:
        return this.#condition(expr, scope);
    }
  }

  #dict(entries: readonly [Expr, Expr][], scope: Scope): Dict {
    const dict = new Dict();
    for (const [key, value] of entries) dict.set(this.evaluate(key, scope), this.evaluate(value, scope));
    return dict;
  }

  #item(object: Expr, key: Expr, scope: Scope): Value {
    const value = this.evaluate(object, scope);
    if (key.type !== 'slice') return subscript(value, this.evaluate(key, scope), this.budget);
    const part = (each: Expr | undefined): Value | undefined =>
      each === undefined ? undefined : this.evaluate(each, scope);
    return slice(value, part(key.start), part(key.stop), part(key.step));
  }

  /** The filter of a `filter` expression applied to a value; chained filters without a value are applied in turn. */
  applyFilterExpression(expr: Expr, value: Value, scope: Scope): Value {
    if (expr.type !== 'filter') return this.evaluate(expr, scope);
    const inner =
      expr.value?.type === 'filter' && isOpen(expr.value)
        ? this.applyFilterExpression(expr.value, value, scope)
        : value;
    return this.at(expr.at, () => this.#applyFilter(expr.name, inner, this.arguments(expr.args, scope)));
  }

  #applyFilter(name: string, value: Value, args: CallArgs): Value {
    const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
    if (filter === undefined) throw new ValueError(`There is no filter named ${name.slice(0, 40)}.`);
    this.budget.step();
    return filter(value, args, this.#context);
  }

  #applyTest(name: string, value: Value, args: readonly Value[]): boolean {
    this.budget.step();
    if (name === 'filter') return isFilter(str(value));
    if (name === 'test') return isTest(str(value));
    const test = Object.hasOwn(TESTS, name) ? TESTS[name] : undefined;
    if (test === undefined) throw new ValueError(`There is no test named ${name.slice(0, 40)}.`);
    return test(value, args);
  }

  #test(expr: Expr & { type: 'test' }, scope: Scope): boolean {
    const value = this.evaluate(expr.value, scope);
    return this.#applyTest(expr.name, value, this.arguments(expr.args, scope).positional);
  }

  #unary(operator: '-' | '+' | 'not', value: Value): Value {
    if (operator === 'not') return !truth(value);
    defined(value);
    if (!isNumeric(value))
      throw new ValueError(`The operator ${operator} does not work on ${typeName(value)}.`);
    const number = toNumber(value);
    return operator === '-' ? -number : number;
  }

  #binary(expr: Expr & { type: 'binary' }, scope: Scope): Value {
    const left = this.evaluate(expr.left, scope);
    if (expr.operator === 'and') return truth(left) ? this.evaluate(expr.right, scope) : left;
    if (expr.operator === 'or') return truth(left) ? left : this.evaluate(expr.right, scope);
    return arithmetic(expr.operator, left, this.evaluate(expr.right, scope), this.budget);
  }

  #compare(expr: Expr & { type: 'compare' }, scope: Scope): boolean {
    let left = this.evaluate(expr.first, scope);
    for (const { operator, value } of expr.rest) {
      const right = this.evaluate(value, scope);
      if (!compare(operator, left, right)) return false;
      left = right;
    }
    return true;
  }

  #condition(expr: Expr & { type: 'condition' }, scope: Scope): Value {
    if (truth(this.evaluate(expr.test, scope))) return this.evaluate(expr.yes, scope);
    // Without an "else" the result is nothing, which prints as an empty string.
    return expr.no === undefined ? '' : this.evaluate(expr.no, scope);
  }

  arguments(args: Args, scope: Scope): CallArgs {
    const positional = args.positional.map((each) => this.evaluate(each, scope));
    const named = new Map(args.named.map(({ name, value }) => [name, this.evaluate(value, scope)]));
    if (args.star !== undefined) positional.push(...iterate(this.evaluate(args.star, scope), this.budget));
    const more = args.doubleStar === undefined ? undefined : this.evaluate(args.doubleStar, scope);
    if (more instanceof Dict) for (const [key, value] of more.pairs) named.set(str(key), value);
    else if (more !== undefined) throw new ValueError('** needs a mapping.');
    return { positional, named };
  }

  call(target: Value, args: CallArgs): Value {
    defined(target);
    this.budget.step();
    if (target instanceof Callable) return target.call(args);
    if (target instanceof Thing && target.call !== undefined) return target.call(args);
    throw new ValueError(`${typeName(target)} cannot be called.`);
  }
}

function orUndefined(value: Value | undefined, name: string): Value {
  return value === undefined ? new Undefined(name) : value;
}

/** A filter at the very start of a chain that waits for its value, as in `{% filter upper | trim %}`. */
function isOpen(expr: Expr & { type: 'filter' }): boolean {
  return expr.value === undefined || (expr.value.type === 'filter' && isOpen(expr.value));
}
