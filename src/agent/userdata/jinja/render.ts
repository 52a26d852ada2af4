import type { Piece } from '../../text/source-text.ts';
import { Evaluator } from './evaluate.ts';
import { Scope } from './scope.ts';
import type { Expr, Stmt, Target } from './syntax/ast.ts';
import { parseTemplate } from './syntax/parse-template.ts';
import { Budget } from './values/budget.ts';
import { iterate } from './values/iterate.ts';
import { str } from './values/text.ts';
import { Loop, truth, type Value, ValueError } from './values/values.ts';

/**
 * Renders a jinja template like cloud-init: Jinja2 with `trim_blocks` and its sandbox, where undefined names
 * appear as `CI_MISSING_JINJA_VAR/name`. Time, memory and recursion are bounded.
 *
 * @returns the pieces of the result, each with its origin's offset in the template
 * @throws TemplateError also for parts of Jinja2 that Slipway lacks
 */
export function renderTemplate(template: string, variables: Map<string, Value>): Piece[] {
  // Jinja2 drops one line break at the template's end, and cloud-init adds it again.
  const ending = template.endsWith('\n');
  const body = ending ? template.slice(0, -1) : template;
  const statements = parseTemplate(body);
  const pieces = interpret(statements, variables);
  return ending ? [...pieces, { text: '\n', origin: body.length, verbatim: true }] : pieces;
}

/** Renders statements with variables. The joined pieces are the result. @throws TemplateError */
function interpret(statements: readonly Stmt[], variables: Map<string, Value>): Piece[] {
  const interpreter = new Interpreter();
  interpreter.body(statements, new Scope(new Scope(undefined, variables)));
  return interpreter.pieces;
}

class Interpreter {
  /** Keeps the template's text apart from results, so that positions can be traced back. */
  readonly pieces: Piece[] = [];
  readonly #budget = new Budget();
  readonly #evaluator = new Evaluator(this.#budget);

  body(statements: readonly Stmt[], scope: Scope): void {
    for (const statement of statements) {
      this.#evaluator.at(statement.at, () => {
        this.#budget.step();
        this.#statement(statement, scope);
      });
    }
  }

  #statement(statement: Stmt, scope: Scope): void {
    switch (statement.type) {
      case 'data':
        this.#emit(statement.text, statement.at, true);
        return;
      case 'output':
        this.#emit(str(this.#evaluator.evaluate(statement.value, scope)), statement.at, false);
        return;
      case 'if': {
        const taken = statement.branches.find(({ test }) => this.#holds(test, scope));
        if (taken !== undefined) this.body(taken.body, scope);
        return;
      }
      case 'for':
        this.#for(statement, scope);
        return;
      default:
        this.#assign(statement.target, this.#evaluator.evaluate(statement.value, scope), scope);
    }
  }

  #holds(test: Expr | undefined, scope: Scope): boolean {
    return test === undefined || truth(this.#evaluator.evaluate(test, scope));
  }

  #emit(text: string, origin: number, verbatim: boolean): void {
    this.#budget.output(text.length);
    this.pieces.push({ text, origin, verbatim });
  }

  #for({ target, iterable, test, body, otherwise }: Stmt & { type: 'for' }, scope: Scope): void {
    const all = iterate(this.#evaluator.evaluate(iterable, scope), this.#budget);
    const items =
      test === undefined ? all : all.filter((item) => this.#holds(test, this.#with(target, item, scope)));
    const loop = new Loop(items.length);
    for (const [position, item] of items.entries()) {
      loop.position = position;
      const inner = this.#with(target, item, scope);
      inner.set('loop', loop);
      this.body(body, inner);
    }
    if (items.length === 0) this.body(otherwise, new Scope(scope));
  }

  /** A new scope in which the target has the value. */
  #with(target: Target, value: Value, scope: Scope): Scope {
    const inner = new Scope(scope);
    this.#assign(target, value, inner);
    return inner;
  }

  #assign(target: Target, value: Value, scope: Scope): void {
    if (target.type === 'name') {
      scope.set(target.name, value);
      return;
    }
    const items = iterate(value, this.#budget);
    if (items.length !== target.items.length) {
      throw new ValueError(`${items.length} values cannot be assigned to ${target.items.length} names.`);
    }
    target.items.forEach((each, index) => {
      this.#assign(each, items[index] ?? null, scope);
    });
  }
}
