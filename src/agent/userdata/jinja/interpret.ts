import { MAX_JINJA_DEPTH } from '../../text/limits.ts';
import type { Piece } from '../../text/source-text.ts';
import { Budget } from './budget.ts';
import { Evaluator } from './evaluate.ts';
import { globals } from './globals.ts';
import { makeLoop } from './loop.ts';
import { Scope } from './scope.ts';
import type { Parameter, Stmt, Target } from './syntax/ast.ts';
import { TemplateError } from './template-error.ts';
import { iterate } from './values/arithmetic.ts';
import {
  type CallArgs,
  Callable,
  Dict,
  str,
  Thing,
  Tuple,
  truth,
  Undefined,
  type Value,
  ValueError,
} from './values/values.ts';

/** Collects output; text of the template is kept apart from results, so that positions can be traced back. */
type Out = (piece: Piece) => void;

/** Renders statements with variables; throws `TemplateError`. The pieces joined are the result. */
export function interpret(statements: readonly Stmt[], variables: Map<string, Value>): Piece[] {
  const pieces: Piece[] = [];
  new Interpreter().run(statements, variables, (piece) => pieces.push(piece));
  return pieces;
}

class Interpreter {
  readonly #budget = new Budget();
  readonly #evaluator = new Evaluator(this.#budget);
  #calls = 0;

  run(statements: readonly Stmt[], variables: Map<string, Value>, out: Out): void {
    const outermost = new Scope(new Scope(undefined, globals(this.#budget)), variables);
    this.#body(statements, new Scope(outermost), out);
  }

  #body(statements: readonly Stmt[], scope: Scope, out: Out): void {
    for (const statement of statements) {
      this.#evaluator.at(statement.at, () => {
        this.#budget.step();
        this.#statement(statement, scope, out);
      });
    }
  }

  #statement(statement: Stmt, scope: Scope, out: Out): void {
    switch (statement.type) {
      case 'data':
        this.#emit(statement.text, statement.at, true, out);
        return;
      case 'output':
        this.#emit(str(this.#evaluator.evaluate(statement.value, scope)), statement.at, false, out);
        return;
      case 'do':
        this.#evaluator.evaluate(statement.value, scope);
        return;
      case 'if': {
        const taken = statement.branches.find(
          ({ test }) => test === undefined || truth(this.#evaluator.evaluate(test, scope)),
        );
        if (taken !== undefined) this.#body(taken.body, scope, out);
        return;
      }
      case 'for':
        this.#for(statement, this.#evaluator.evaluate(statement.iterable, scope), scope, out, 1);
        return;
      case 'set':
        this.#assign(statement.target, this.#evaluator.evaluate(statement.value, scope), scope);
        return;
      case 'setBlock': {
        const text = this.#capture(statement.body, new Scope(scope));
        const { filter } = statement;
        this.#assign(
          statement.target,
          filter === undefined ? text : this.#evaluator.applyFilterExpression(filter, text, scope),
          scope,
        );
        return;
      }
      case 'with': {
        const inner = new Scope(scope);
        for (const { target, value } of statement.targets)
          this.#assign(target, this.#evaluator.evaluate(value, scope), inner);
        this.#body(statement.body, inner, out);
        return;
      }
      case 'scope':
        this.#body(statement.body, new Scope(scope), out);
        return;
      case 'filter': {
        const text = this.#capture(statement.body, new Scope(scope));
        this.#emit(
          str(this.#evaluator.applyFilterExpression(statement.filter, text, scope)),
          statement.at,
          false,
          out,
        );
        return;
      }
      case 'macro':
        scope.set(statement.name, this.#macro(statement.name, statement, scope));
        return;
      default:
        this.#call(statement, scope, out);
    }
  }

  #emit(text: string, origin: number, verbatim: boolean, out: Out): void {
    this.#budget.output(text.length);
    out({ text, origin, verbatim });
  }

  #capture(body: readonly Stmt[], scope: Scope): string {
    const parts: string[] = [];
    this.#body(body, scope, ({ text }) => parts.push(text));
    return this.#budget.text(parts.join(''));
  }

  #for(statement: Stmt & { type: 'for' }, iterable: Value, scope: Scope, out: Out, depth: number): void {
    if (depth > MAX_JINJA_DEPTH) throw new TemplateError('The loop calls itself too often.', statement.at);
    const all = iterate(iterable, this.#budget);
    const items =
      statement.test === undefined ? all : all.filter((item) => this.#passes(statement, item, scope));
    const recurse = (args: CallArgs): Value => {
      const parts: string[] = [];
      this.#for(statement, args.positional[0] ?? null, scope, ({ text }) => parts.push(text), depth + 1);
      return this.#budget.text(parts.join(''));
    };
    const loop = makeLoop(items, depth, statement.recursive ? recurse : undefined);
    for (const item of items) {
      loop.advance();
      const inner = new Scope(scope);
      inner.set('loop', loop.value);
      this.#assign(statement.target, item, inner);
      this.#body(statement.body, inner, out);
    }
    if (items.length === 0) this.#body(statement.otherwise, new Scope(scope), out);
  }

  #passes(statement: Stmt & { type: 'for' }, item: Value, scope: Scope): boolean {
    const inner = new Scope(scope);
    this.#assign(statement.target, item, inner);
    return statement.test === undefined || truth(this.#evaluator.evaluate(statement.test, inner));
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.type === 'name') scope.set(target.name, value);
    else if (target.type === 'member') this.#assignMember(target, value, scope);
    else {
      const items = iterate(value, this.#budget);
      if (items.length !== target.items.length) {
        throw new ValueError(`${items.length} values cannot be spread over ${target.items.length} names.`);
      }
      target.items.forEach((each, index) => {
        this.#assign(each, items[index] ?? null, scope);
      });
    }
  }

  #assignMember(target: Target & { type: 'member' }, value: Value, scope: Scope): void {
    const object = scope.get(target.object);
    if (!(object instanceof Thing) || object.assign === undefined) {
      throw new TemplateError('Only a member of namespace() can be assigned to.', target.at);
    }
    object.assign(target.name, value);
  }

  #macro(
    name: string,
    {
      parameters,
      body,
      uses,
    }: { parameters: readonly Parameter[]; body: readonly Stmt[]; uses: ReadonlySet<string> },
    scope: Scope,
  ): Callable {
    return new Callable(name, (args) => {
      const inner = new Scope(scope);
      this.#bindParameters(name, parameters, args, uses, inner);
      this.#calls += 1;
      if (this.#calls > MAX_JINJA_DEPTH) throw new ValueError('Macros call each other too deeply.');
      const text = this.#capture(body, inner);
      this.#calls -= 1;
      return text;
    });
  }

  #bindParameters(
    name: string,
    parameters: readonly Parameter[],
    args: CallArgs,
    uses: ReadonlySet<string>,
    scope: Scope,
  ): void {
    const named = new Map(args.named);
    const caller = named.get('caller');
    named.delete('caller');
    parameters.forEach((parameter, index) => {
      const given = index < args.positional.length ? args.positional[index] : named.get(parameter.name);
      named.delete(parameter.name);
      const { otherwise } = parameter;
      const fallback = (): Value =>
        otherwise === undefined ? new Undefined(parameter.name) : this.#evaluator.evaluate(otherwise, scope);
      scope.set(parameter.name, given === undefined ? fallback() : given);
    });
    const extra = args.positional.slice(parameters.length);
    if (extra.length > 0 && !uses.has('varargs'))
      throw new ValueError(`The macro ${name} takes at most ${parameters.length} arguments.`);
    if (named.size > 0 && !uses.has('kwargs'))
      throw new ValueError(`The macro ${name} has no such named argument.`);
    if (caller !== undefined && !uses.has('caller'))
      throw new ValueError(`The macro ${name} does not use {% call %}.`);
    scope.set('varargs', new Tuple(extra));
    const rest = new Dict();
    for (const [key, value] of named) rest.set(key, value);
    scope.set('kwargs', rest);
    scope.set('caller', caller ?? new Undefined('caller'));
  }

  #call(statement: Stmt & { type: 'call' }, scope: Scope, out: Out): void {
    const { call } = statement;
    if (call.type !== 'call') throw new TemplateError('{% call %} needs a call of a macro.', statement.at);
    const target = this.#evaluator.evaluate(call.target, scope);
    const args = this.#evaluator.arguments(call.args, scope);
    args.named.set('caller', this.#macro('caller', statement, scope));
    this.#emit(str(this.#evaluator.call(target, args)), statement.at, false, out);
  }
}
