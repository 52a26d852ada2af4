import { unknownNameMessage } from '../values/unsupported.ts';
import type { Expr, Stmt, Target } from './ast.ts';
import { tokenize } from './lexer.ts';
import { parseExpression, parseTuple } from './parse-expression.ts';
import { TemplateError } from './template-error.ts';
import { TokenStream } from './token-stream.ts';

/** Parses a template. @throws TemplateError */
export function parseTemplate(source: string): Stmt[] {
  const stream = new TokenStream(tokenize(source), source.length);
  return new TemplateParser(stream).whole();
}

class TemplateParser {
  readonly #stream: TokenStream;

  constructor(stream: TokenStream) {
    this.#stream = stream;
  }

  whole(): Stmt[] {
    const body = this.#body([]);
    return body.statements;
  }

  /** Reads statements up to a block tag with a name from `ends`, and that name, but not the tag's rest. */
  #body(ends: readonly string[], opener?: { name: string; at: number }): { statements: Stmt[]; end: string } {
    return this.#stream.deeper(() => {
      const statements: Stmt[] = [];
      for (let token = this.#stream.current; token !== undefined; token = this.#stream.current) {
        if (token.kind === 'data') {
          this.#stream.next();
          statements.push({ type: 'data', text: token.text, at: token.offset });
        } else if (token.text === 'variable') {
          statements.push(this.#output(token.offset));
        } else {
          this.#stream.next();
          const name = this.#stream.name();
          if (ends.includes(name)) return { statements, end: name };
          statements.push(this.#statement(name, token.offset));
        }
      }
      if (opener === undefined) return { statements, end: '' };
      throw new TemplateError(`The block {% ${opener.name} %} has no {% ${ends.at(-1)} %}.`, opener.at);
    });
  }

  #block(
    name: string,
    at: number,
    ends: readonly string[] = [`end${name}`],
  ): { statements: Stmt[]; end: string } {
    this.#stream.expect('end', 'block');
    return this.#body(ends, { name, at });
  }

  #output(at: number): Stmt {
    this.#stream.next();
    const value = parseTuple(this.#stream);
    this.#stream.expect('end', 'variable');
    return { type: 'output', value, at };
  }

  #statement(name: string, at: number): Stmt {
    switch (name) {
      case 'if':
        return this.#if(at);
      case 'for':
        return this.#for(at);
      case 'set':
        return this.#set(at);
      default:
        throw new TemplateError(unknownTag(name), at);
    }
  }

  #if(at: number): Stmt {
    const branches: { test: Expr | undefined; body: Stmt[] }[] = [];
    let end = 'elif';
    while (end === 'elif') {
      const test = parseTuple(this.#stream, false);
      const part = this.#block('if', at, ['elif', 'else', 'endif']);
      branches.push({ test, body: part.statements });
      end = part.end;
    }
    if (end === 'else') branches.push({ test: undefined, body: this.#block('if', at, ['endif']).statements });
    this.#stream.expect('end', 'block');
    return { type: 'if', branches, at };
  }

  #for(at: number): Stmt {
    const target = this.#target();
    this.#stream.expect('name', 'in');
    const iterable = parseTuple(this.#stream, false);
    const test = this.#stream.skip('name', 'if') ? parseExpression(this.#stream) : undefined;
    if (this.#stream.is('name', 'recursive'))
      throw new TemplateError('Slipway does not support recursive loops; nest loops instead.', at);
    const part = this.#block('for', at, ['else', 'endfor']);
    const otherwise = part.end === 'else' ? this.#block('for', at).statements : [];
    this.#stream.expect('end', 'block');
    return { type: 'for', target, iterable, test, body: part.statements, otherwise, at };
  }

  #set(at: number): Stmt {
    const target = this.#target();
    if (this.#stream.is('end', 'block') || this.#stream.is('operator', '|'))
      throw new TemplateError(
        'Slipway does not support {% set %} with {% endset %}; write {% set name = value %}.',
        at,
      );
    if (this.#stream.is('operator', '.'))
      throw new TemplateError('Slipway does not support {% set %} on members; set a separate variable.', at);
    this.#stream.expect('operator', '=');
    const value = parseTuple(this.#stream);
    this.#stream.expect('end', 'block');
    return { type: 'set', target, value, at };
  }

  #target(): Target {
    const items = [this.#singleTarget()];
    let tuple = false;
    while (this.#stream.skip('operator', ',')) {
      tuple = true;
      if (!this.#stream.is('name') && !this.#stream.is('operator', '(')) break;
      items.push(this.#singleTarget());
    }
    const [only] = items;
    return tuple || only === undefined ? { type: 'tuple', items } : only;
  }

  #singleTarget(): Target {
    const at = this.#stream.offset;
    if (this.#stream.skip('operator', '(')) {
      const inner = this.#stream.deeper(() => this.#target());
      this.#stream.expect('operator', ')');
      return inner;
    }
    const name = this.#stream.name();
    if (CONSTANT_NAMES.has(name)) throw new TemplateError(`${name} cannot be assigned to.`, at);
    return { type: 'name', name };
  }
}

const CONSTANT_NAMES = new Set(['true', 'false', 'none', 'True', 'False', 'None']);

function unknownTag(name: string): string {
  const closes = name.startsWith('end') || name === 'else' || name === 'elif';
  return closes
    ? `{% ${name.slice(0, 40)} %} does not match an open block.`
    : unknownNameMessage('tag', name);
}
