import { isFilter, isTest } from './evaluate.ts';
import type { Args, Expr, Stmt } from './syntax/ast.ts';
import { TemplateError } from './template-error.ts';

/** Jinja2 refuses a template that names an unknown filter or test, even where it would never be used; so do we. */
export function checkNames(statements: readonly Stmt[]): void {
  for (const statement of statements) checkStatement(statement);
}

function checkStatement(statement: Stmt): void {
  for (const [key, value] of Object.entries(statement)) {
    if (key === 'branches') for (const branch of value) checkBranch(branch);
    else if (key === 'targets') for (const target of value) checkExpression(target.value);
    else if (key === 'parameters')
      for (const parameter of value) if (parameter.otherwise) checkExpression(parameter.otherwise);
    if (key === 'body' || key === 'otherwise') checkNames(value);
    if (['value', 'iterable', 'test', 'filter', 'call'].includes(key) && value !== undefined)
      checkExpression(value);
  }
}

function checkBranch({ test, body }: { test?: Expr; body: Stmt[] }): void {
  if (test !== undefined) checkExpression(test);
  checkNames(body);
}

function checkExpression(expr: Expr): void {
  if (expr.type === 'filter' && !isFilter(expr.name)) {
    throw new TemplateError(`There is no filter named ${expr.name.slice(0, 40)}.`, expr.at);
  }
  if (expr.type === 'test' && !isTest(expr.name)) {
    throw new TemplateError(`There is no test named ${expr.name.slice(0, 40)}.`, expr.at);
  }
  for (const inner of innerExpressions(expr)) checkExpression(inner);
}

function innerExpressions(expr: Expr): Expr[] {
  switch (expr.type) {
    case 'list':
    case 'tuple':
    case 'concat':
      return expr.items;
    case 'dict':
      return expr.entries.flat();
    case 'attribute':
      return [expr.object];
    case 'item':
      return [expr.object, expr.key];
    case 'slice':
      return present([expr.start, expr.stop, expr.step]);
    case 'call':
      return [expr.target, ...argumentsOf(expr.args)];
    case 'filter':
    case 'test':
      return [...present([expr.value]), ...argumentsOf(expr.args)];
    case 'unary':
      return [expr.value];
    case 'binary':
      return [expr.left, expr.right];
    case 'compare':
      return [expr.first, ...expr.rest.map(({ value }) => value)];
    case 'condition':
      return [expr.test, expr.yes, ...present([expr.no])];
    default:
      return [];
  }
}

function argumentsOf(args: Args): Expr[] {
  return [
    ...args.positional,
    ...args.named.map(({ value }) => value),
    ...present([args.star, args.doubleStar]),
  ];
}

function present(expressions: readonly (Expr | undefined)[]): Expr[] {
  return expressions.filter((expr) => expr !== undefined);
}
