/** Expressions; `at` is the offset in the template. */
export type Expr =
  | { type: 'const'; value: null | boolean | bigint | number | string; at: number }
  | { type: 'name'; name: string; at: number }
  | { type: 'list' | 'tuple'; items: Expr[]; at: number }
  | { type: 'dict'; entries: [Expr, Expr][]; at: number }
  | { type: 'attribute'; object: Expr; name: string; at: number }
  | { type: 'item'; object: Expr; key: Expr; at: number }
  | { type: 'slice'; start?: Expr; stop?: Expr; step?: Expr; at: number }
  | { type: 'call'; target: Expr; args: Args; at: number }
  | { type: 'filter'; name: string; value?: Expr; args: Args; at: number }
  | { type: 'test'; name: string; value: Expr; args: Args; at: number }
  | { type: 'unary'; operator: '-' | '+' | 'not'; value: Expr; at: number }
  | { type: 'binary'; operator: string; left: Expr; right: Expr; at: number }
  | { type: 'compare'; first: Expr; rest: { operator: string; value: Expr }[]; at: number }
  | { type: 'concat'; items: Expr[]; at: number }
  | { type: 'condition'; test: Expr; yes: Expr; no?: Expr; at: number };

/** Arguments of a call, in the order: positional, keyword, `*list`, `**mapping`. */
export interface Args {
  positional: Expr[];
  named: { name: string; value: Expr }[];
  star?: Expr;
  doubleStar?: Expr;
}

export const NO_ARGS: Args = { positional: [], named: [] };

/** What `set`, `for` and `with` assign to. */
export type Target =
  | { type: 'name'; name: string }
  | { type: 'member'; object: string; name: string; at: number }
  | { type: 'tuple'; items: Target[] };

export interface Parameter {
  name: string;
  otherwise?: Expr;
}

/** Statements. */
export type Stmt =
  | { type: 'data'; text: string; at: number }
  | { type: 'output'; value: Expr; at: number }
  | { type: 'if'; branches: { test?: Expr; body: Stmt[] }[]; at: number }
  | {
      type: 'for';
      target: Target;
      iterable: Expr;
      test?: Expr;
      recursive: boolean;
      body: Stmt[];
      otherwise: Stmt[];
      at: number;
    }
  | { type: 'set'; target: Target; value: Expr; at: number }
  | { type: 'setBlock'; target: Target; filter?: Expr; body: Stmt[]; at: number }
  | { type: 'with'; targets: { target: Target; value: Expr }[]; body: Stmt[]; at: number }
  | {
      type: 'macro';
      name: string;
      parameters: Parameter[];
      body: Stmt[];
      uses: ReadonlySet<string>;
      at: number;
    }
  | { type: 'call'; call: Expr; parameters: Parameter[]; body: Stmt[]; uses: ReadonlySet<string>; at: number }
  | { type: 'filter'; filter: Expr; body: Stmt[]; at: number }
  | { type: 'scope'; body: Stmt[]; at: number }
  | { type: 'do'; value: Expr; at: number };
