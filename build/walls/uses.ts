import { relative } from 'node:path';
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isClassDeclaration,
  isElementAccessExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';
import { HIDDEN_IMPORTS } from './machine.ts';
import { isText, namesExported, namesTaken, valuesTaken, wordOf } from './names.ts';

const LOADERS = [...HIDDEN_IMPORTS, 'getBuiltinModule'];
const ERRORS = ['Error', 'AggregateError', 'RangeError', 'SyntaxError', 'TypeError'];

/** Something that a file takes from elsewhere, or a name that it exports. */
export interface Use {
  /**
   * `import`: every form of import and export, of values and of types, with its specifier; `computed`: its source text;
   * `error`: a class that extends an error of JavaScript; `export`: a name.
   */
  readonly kind: 'import' | 'computed' | 'name' | 'process' | 'error' | 'export';
  readonly what: string;
  /** Names that an import takes; undefined where it may take all. */
  readonly names?: readonly string[] | undefined;
  /** Those of an import declaration that are there at run time, so no types; undefined where it may take all. */
  readonly values?: readonly string[] | undefined;
  /** From 1. */
  readonly line: number;
}

/**
 * What each file of a TypeScript project uses and exports, as TypeScript itself parses it.
 *
 * @param folder holds tsconfig.json
 * @returns uses by path from `folder`
 */
export function readUses(folder: string): Map<string, Use[]> {
  const api = new API({ cwd: folder });
  try {
    const config = `${folder}/tsconfig.json`;
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`${config} cannot be opened as a project`);
    const uses = new Map<string, Use[]>();
    for (const file of project.rootFiles) {
      const source = project.program.getSourceFile(file);
      if (source) uses.set(relative(folder, file), usesOf(source));
    }
    return uses;
  } finally {
    api.close();
  }
}

function usesOf(source: SourceFile): Use[] {
  const uses: Use[] = [];
  const add = (kind: Use['kind'], what: string, node: Node, names?: Pick<Use, 'names' | 'values'>): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    uses.push({ kind, what, line: line + 1, ...names });
  };
  for (const specifier of source.imports) {
    const [names, values] = [namesTaken(specifier), valuesTaken(specifier)];
    add('import', wordOf(specifier), specifier, { names, values });
  }
  for (const statement of source.statements) {
    for (const name of namesExported(statement, source)) add('export', name, statement);
  }
  const visit = (node: Node): void => {
    if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument && !isText(argument)) add('computed', argument.getText(source), argument);
    }
    if ((isCallExpression(node) || isNewExpression(node)) && isIdentifier(node.expression)) {
      add('name', node.expression.text, node);
    }
    if (isPropertyAccessExpression(node) || isElementAccessExpression(node)) {
      const member = isPropertyAccessExpression(node) ? node.name : node.argumentExpression;
      const name = wordOf(member);
      const of = wordOf(node.expression);
      if (of === 'process') add('process', name, node);
      if (of === 'globalThis') add('name', name, node);
    }
    if (isClassDeclaration(node)) {
      const parents = node.heritageClauses?.flatMap(({ types }) =>
        types.map((type) => wordOf(type.expression)),
      );
      if (parents?.some((parent) => ERRORS.includes(parent))) add('error', node.name?.text ?? '', node);
    }
    // Not only where they are called: they can be given another name first.
    if (isIdentifier(node) && LOADERS.includes(node.text)) add('name', node.text, node);
    node.forEachChild(visit);
  };
  source.forEachChild(visit);
  return uses;
}
