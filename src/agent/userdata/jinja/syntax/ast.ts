/** Expressions; `at` is the offset in the template. */
export type Expr =
  | { type: 'const'; value: null | boolean | bigint | number | string; at: number }
  | { type: 'name'; name: string; at: number }
  | { type: 'list' | 'tuple' | 'concat'; items: Expr[]; at: number }
  | { type: 'dict'; entries: [Expr, Expr][]; at: number }
  | { type: 'attribute'; object: Expr; name: string; at: number }
  | { type: 'item'; object: Expr; key: Expr; at: number }
  | {
      type: 'slice';
      object: Expr;
      start: Expr | undefined;
      stop: Expr | undefined;
      step: Expr | undefined;
      at: number;
    }
  | { type: 'method'; object: Expr; name: string; args: Args; at: number }
  | { type: 'call'; name: string; args: Args; at: number }
  | { type: 'filter' | 'test'; name: string; value: Expr; args: Args; at: number }
  | { type: 'unary'; operator: '-' | '+' | 'not'; value: Expr; at: number }
  | { type: 'binary'; operator: string; left: Expr; right: Expr; at: number }
  | { type: 'compare'; first: Expr; rest: { operator: string; value: Expr }[]; at: number }
  | { type: 'condition'; test: Expr; yes: Expr; no: Expr | undefined; at: number };

/** Arguments of a call. */
export interface Args {
  positional: Expr[];
  named: { name: string; value: Expr }[];
}

/** What `set` and `for` assign to. */
export type Target = { type: 'name'; name: string } | { type: 'tuple'; items: Target[] };

/** Statements. */
export type Stmt =
  | { type: 'data'; text: string; at: number }
  | { type: 'output'; value: Expr; at: number }
  | { type: 'if'; branches: { test: Expr | undefined; body: Stmt[] }[]; at: number }
  | {
      type: 'for';
      target: Target;
      iterable: Expr;
      test: Expr | undefined;
      body: Stmt[];
      otherwise: Stmt[];
      at: number;
    }
  | { type: 'set'; target: Target; value: Expr; at: number };
