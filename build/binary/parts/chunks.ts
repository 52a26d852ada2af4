import { basename } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { type BundleOptions, buildAgent, inputsOf } from '../bundle.ts';

/** Some modules that are always evaluated together, as esbuild divides a program by its dynamic imports. */
export interface Chunk {
  /** File name that esbuild gives it, by which others import it. */
  readonly name: string;
  /** An ES module. */
  readonly code: string;
  /** Names of chunks that are evaluated before it. */
  readonly needs: readonly string[];
  /** Names of chunks that it imports dynamically. */
  readonly brings: readonly string[];
  /** The module that others import dynamically, where it is one's entry: path from the project's root. */
  readonly entry: string | undefined;
  /** Paths from the project's root of what is in it. */
  readonly inputs: readonly string[];
  /** By which chunks can be told apart and sorted the same in each folder; their names hang on where packages lie. */
  readonly place: string;
}

/** The agent in chunks. @throws Error like `bundle` */
export async function agentChunks(options: BundleOptions): Promise<Chunk[]> {
  const { outputFiles, metafile } = await buildAgent({
    ...options,
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
  });
  const codes = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return Object.entries(metafile.outputs).map(([path, { imports, entryPoint, inputs }]) => {
    const own = imports.filter(({ external }) => external !== true);
    const of = (isDynamic: boolean) =>
      own.filter(({ kind }) => (kind === 'dynamic-import') === isDynamic).map(({ path }) => basename(path));
    const code = codes.get(basename(path)) ?? '';
    const paths = Object.keys(inputs).map(named).sort();
    return {
      name: basename(path),
      code,
      needs: of(false),
      brings: of(true),
      entry: entryPoint,
      inputs: inputsOf(paths),
      // esbuild's own functions are in a chunk that has neither, and imports nothing.
      place: [named(entryPoint ?? ''), ...paths].join() || code,
    };
  });
}

/** From the project's root, also where its packages lie elsewhere: what is built is the same in each folder. */
function named(path: string): string {
  return path.replace(/^\.\.\/.*?(?=node_modules\/)/, '');
}

/**
 * A chunk as the body of a function that returns what it exports: `take` gives what another one exports, `bring` a promise
 * of it. A script in the binary can import nothing.
 *
 * What is imported is bound once, when the function is called. So no chunk may need one that needs it, and what is exported
 * keeps its value; Slipway's own modules export no variable that changes.
 *
 * @param idOf what a chunk is called in the binary, by its file name; undefined for modules of Node.js
 * @throws Error where it is not what esbuild writes
 */
export async function asBody(code: string, idOf: (name: string) => string | undefined): Promise<string> {
  await init;
  const [imports, exports] = parse(code);
  const bindings: string[] = [];
  let body = '';
  let from = 0;
  for (const { n: specifier, ss: start, se: end, d: dynamic } of imports) {
    if (specifier === undefined)
      throw new Error(`an import of what no build knows: ${code.slice(start, end)}`);
    const id = JSON.stringify(idOf(basename(specifier)) ?? specifier);
    body += code.slice(from, start);
    if (dynamic >= 0) body += `bring(${id})`;
    else bindings.push(binding(code.slice(start, end), id));
    from = end;
  }
  body += code.slice(from);
  return `${bindings.join('')}${returning(body, exports.length)}`;
}

/** `import{a as b}from"..."` as a declaration. */
function binding(statement: string, id: string): string {
  const clause = /^import\s*(.*?)\s*(?:\bfrom\s*)?["'][^"']*["']$/s.exec(statement)?.[1];
  if (clause === undefined) throw new Error(`no import as esbuild writes it: ${statement}`);
  if (clause === '') return `take(${id});`;
  const [, first, all, names] = /^([\w$]+)?\s*,?\s*(?:\*\s*as\s+([\w$]+)|\{([^}]*)\})?$/.exec(clause) ?? [];
  const own = [first, all].flatMap((name) => (name === undefined ? [] : [`${name}=take(${id})`]));
  if (names !== undefined) own.push(`{${names.replace(/\s+as\s+/g, ':')}}=take(${id})`);
  if (own.length === 0) throw new Error(`no import as esbuild writes it: ${statement}`);
  return `const ${own.join(',')};`;
}

/**
 * esbuild writes what a chunk exports behind everything else. A CommonJS module that is imported dynamically would be its default
 * export, and have none of the names that are asked of it.
 */
function returning(body: string, count: number): string {
  const [end = '', names = ''] = /export\s*\{([^}]*)\};?\s*$/.exec(body) ?? [];
  const fields = names
    .split(',')
    .filter((name) => name.trim() !== '')
    .map((name) => name.trim().split(/\s+as\s+/))
    .map(([inside = '', outside = inside]) => `${outside}:${inside}`);
  if (fields.length !== count)
    throw new Error(
      `a chunk exports ${count} names, of which ${fields.length} stand at its end: ${body.slice(-200)}`,
    );
  return `${body.slice(0, body.length - end.length)}\nreturn{${fields.join()}}`;
}
