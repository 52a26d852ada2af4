import { TemplateError } from '../template-error.ts';
import type { Expr, Parameter, Stmt, Target } from './ast.ts';
import { tokenize } from './lexer.ts';
import { parseExpression, parseTuple } from './parse-expression.ts';
import { parseFilter } from './parse-filters.ts';
import { TokenStream } from './token-stream.ts';

/** Parses a template; throws `TemplateError`. */
export function parseTemplate(source: string): Stmt[] {
  const stream = new TokenStream(tokenize(source), source.length);
  return new TemplateParser(stream).whole();
}

/** Tags that would need other templates. */
const NEEDS_LOADER = new Set(['include', 'extends', 'import', 'from']);

class TemplateParser {
  readonly #stream: TokenStream;

  constructor(stream: TokenStream) {
    this.#stream = stream;
  }

  whole(): Stmt[] {
    const body = this.#body([]);
    return body.statements;
  }

  /** Statements up to a block tag of one of the names in `ends`; that name is read, the rest of its tag is not. */
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

  #closed(name: string, at: number): Stmt[] {
    const { statements } = this.#block(name, at);
    this.#stream.expect('end', 'block');
    return statements;
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
      case 'with':
        return this.#with(at);
      case 'macro':
        return this.#macro(at);
      case 'call':
        return this.#call(at);
      case 'filter': {
        const filter = this.#filters(parseFilter(this.#stream, at));
        return { type: 'filter', filter, body: this.#closed('filter', at), at };
      }
      case 'block':
        return this.#namedBlock(at);
      case 'do':
      case 'print': {
        const value = parseTuple(this.#stream);
        this.#stream.expect('end', 'block');
        return name === 'do' ? { type: 'do', value, at } : { type: 'output', value, at };
      }
      default:
        throw new TemplateError(unknownTag(name), at);
    }
  }

  #if(at: number): Stmt {
    const branches: { test?: Expr; body: Stmt[] }[] = [];
    let end = 'elif';
    while (end === 'elif') {
      const test = parseTuple(this.#stream, false);
      const part = this.#block('if', at, ['elif', 'else', 'endif']);
      branches.push({ test, body: part.statements });
      end = part.end;
    }
    if (end === 'else') branches.push({ body: this.#block('if', at, ['endif']).statements });
    this.#stream.expect('end', 'block');
    return { type: 'if', branches, at };
  }

  #for(at: number): Stmt {
    const target = this.#target(false);
    this.#stream.expect('name', 'in');
    const iterable = parseTuple(this.#stream, false);
    const test = this.#stream.skip('name', 'if') ? parseExpression(this.#stream) : undefined;
    const recursive = this.#stream.skip('name', 'recursive');
    const part = this.#block('for', at, ['else', 'endfor']);
    const otherwise = part.end === 'else' ? this.#block('for', at).statements : [];
    this.#stream.expect('end', 'block');
    const loop = { target, iterable, recursive, body: part.statements, otherwise, at };
    return { type: 'for', ...loop, ...(test === undefined ? {} : { test }) };
  }

  #set(at: number): Stmt {
    const target = this.#target(true);
    if (this.#stream.skip('operator', '=')) {
      const value = parseTuple(this.#stream);
      this.#stream.expect('end', 'block');
      return { type: 'set', target, value, at };
    }
    const piped = this.#stream.skip('operator', '|');
    const filter = piped ? this.#filters(parseFilter(this.#stream, at)) : undefined;
    const body = this.#closed('set', at);
    return { type: 'setBlock', target, body, at, ...(filter === undefined ? {} : { filter }) };
  }

  /** Further filters behind the first: `upper | trim`. */
  #filters(first: Expr): Expr {
    let filter = first;
    while (this.#stream.skip('operator', '|'))
      filter = parseFilter(this.#stream, this.#stream.offset, filter);
    return filter;
  }

  #with(at: number): Stmt {
    const targets: { target: Target; value: Expr }[] = [];
    while (!this.#stream.is('end', 'block')) {
      if (targets.length > 0) this.#stream.expect('operator', ',');
      const target = this.#target(false);
      this.#stream.expect('operator', '=');
      targets.push({ target, value: parseExpression(this.#stream) });
    }
    return { type: 'with', targets, body: this.#closed('with', at), at };
  }

  #macro(at: number): Stmt {
    const name = this.#stream.name();
    const parameters = this.#parameters();
    return { type: 'macro', name, parameters, ...this.#bodyAndNames('macro', at), at };
  }

  #call(at: number): Stmt {
    const parameters = this.#stream.is('operator', '(') ? this.#parameters() : [];
    const call = parseExpression(this.#stream);
    if (call.type !== 'call') throw new TemplateError('{% call %} needs a call of a macro.', at);
    return { type: 'call', call, parameters, ...this.#bodyAndNames('call', at), at };
  }

  #bodyAndNames(tag: string, at: number): { body: Stmt[]; uses: ReadonlySet<string> } {
    const before = this.#stream.names.length;
    const body = this.#closed(tag, at);
    return { body, uses: new Set(this.#stream.names.slice(before)) };
  }

  #parameters(): Parameter[] {
    const parameters: Parameter[] = [];
    this.#stream.expect('operator', '(');
    while (!this.#stream.skip('operator', ')')) {
      if (parameters.length > 0) this.#stream.expect('operator', ',');
      const name = this.#stream.name();
      const otherwise = this.#stream.skip('operator', '=') ? parseExpression(this.#stream) : undefined;
      parameters.push(otherwise === undefined ? { name } : { name, otherwise });
    }
    return parameters;
  }

  /** `{% block %}` without inheritance is a scope of its own. */
  #namedBlock(at: number): Stmt {
    this.#stream.name();
    while (this.#stream.is('name')) this.#stream.next();
    const { statements } = this.#block('block', at);
    if (this.#stream.is('name')) this.#stream.next();
    this.#stream.expect('end', 'block');
    return { type: 'scope', body: statements, at };
  }

  #target(members: boolean): Target {
    const items = [this.#singleTarget(members)];
    let tuple = false;
    while (this.#stream.skip('operator', ',')) {
      tuple = true;
      if (!this.#stream.is('name') && !this.#stream.is('operator', '(')) break;
      items.push(this.#singleTarget(false));
    }
    const [only] = items;
    return tuple || only === undefined ? { type: 'tuple', items } : only;
  }

  #singleTarget(members: boolean): Target {
    const at = this.#stream.offset;
    if (this.#stream.skip('operator', '(')) {
      const inner = this.#stream.deeper(() => this.#target(false));
      this.#stream.expect('operator', ')');
      return inner;
    }
    const name = this.#stream.name();
    if (CONSTANT_NAMES.has(name)) throw new TemplateError(`${name} cannot be assigned to.`, at);
    if (!members || !this.#stream.skip('operator', '.')) return { type: 'name', name };
    return { type: 'member', object: name, name: this.#stream.name(), at };
  }
}

const CONSTANT_NAMES = new Set(['true', 'false', 'none', 'True', 'False', 'None']);

function unknownTag(name: string): string {
  const shown = name.slice(0, 40);
  if (NEEDS_LOADER.has(name)) return `{% ${shown} %} would need another template; user data is one template.`;
  if (name.startsWith('end') || name === 'else' || name === 'elif')
    return `{% ${shown} %} closes nothing that is open.`;
  return `The tag {% ${shown} %} is not known.`;
}
