import { relative } from 'node:path';
import {
  type Node,
  type NoSubstitutionTemplateLiteral,
  type SourceFile,
  type StringLiteral,
  SyntaxKind,
} from 'typescript/unstable/ast';
import {
  isCallExpression,
  isClassDeclaration,
  isElementAccessExpression,
  isIdentifier,
  isImportDeclaration,
  isNamedImports,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import { API } from 'typescript/unstable/sync';
import { HIDDEN_IMPORTS } from './machine.ts';

const LOADERS = [...HIDDEN_IMPORTS, 'getBuiltinModule'];
const ERRORS = ['Error', 'AggregateError', 'RangeError', 'SyntaxError', 'TypeError'];

/** Something that a file takes from elsewhere. */
export interface Use {
  /**
   * `import`: every form of import and export, of values and of types, with its specifier; `computed`: its source text;
   * `error`: a class that extends an error of JavaScript.
   */
  readonly kind: 'import' | 'computed' | 'name' | 'process' | 'error';
  readonly what: string;
  /** Names that an import declaration takes at run time, so no types; undefined where it takes all, or the default. */
  readonly names?: readonly string[];
  /** From 1. */
  readonly line: number;
}

/**
 * What each file of a TypeScript project uses, as TypeScript itself parses it.
 *
 * @param folder holds tsconfig.json
 * @returns uses by path from `folder`
 */
export function readUses(folder: string, accept: (path: string) => boolean): Map<string, Use[]> {
  const api = new API({ cwd: folder });
  try {
    const config = `${folder}/tsconfig.json`;
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`${config} cannot be opened as a project`);
    const uses = new Map<string, Use[]>();
    for (const file of project.rootFiles) {
      const path = relative(folder, file);
      const source = accept(path) ? project.program.getSourceFile(file) : undefined;
      if (source) uses.set(path, usesOf(source));
    }
    return uses;
  } finally {
    api.close();
  }
}

function usesOf(source: SourceFile): Use[] {
  const uses: Use[] = [];
  const add = (kind: Use['kind'], what: string, node: Node, names?: string[]): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    uses.push({ kind, what, line: line + 1, ...(names ? { names } : {}) });
  };
  for (const specifier of source.imports) add('import', wordOf(specifier), specifier, namesTaken(specifier));
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

function namesTaken({ parent }: Node): string[] | undefined {
  const clause = isImportDeclaration(parent) ? parent.importClause : undefined;
  if (clause?.phaseModifier === SyntaxKind.TypeKeyword) return [];
  const bindings = clause?.name ? undefined : clause?.namedBindings;
  if (!bindings || !isNamedImports(bindings)) return undefined;
  const taken = bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly);
  return taken.map(({ name, propertyName }) => wordOf(propertyName ?? name));
}

function wordOf(node: Node): string {
  if (isIdentifier(node)) return node.text;
  return isText(node) ? node.text : '';
}

function isText(node: Node): node is StringLiteral | NoSubstitutionTemplateLiteral {
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node);
}
