import {
  type Node,
  type NoSubstitutionTemplateLiteral,
  type SourceFile,
  type StringLiteral,
  SyntaxKind,
} from 'typescript/unstable/ast';
import {
  isAwaitExpression,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isNamedExports,
  isNamedImports,
  isNoSubstitutionTemplateLiteral,
  isObjectBindingPattern,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableDeclaration,
  isVariableStatement,
} from 'typescript/unstable/ast/is';

/** Names that a statement at the top of a file exports; the default has none. */
export function namesExported(statement: Node, source: SourceFile): string[] {
  if (isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    return clause && isNamedExports(clause) ? clause.elements.map(({ name }) => wordOf(name)) : [];
  }
  if (!/^export (?!default)/.test(statement.getText(source))) return [];
  const named = isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
  return named.flatMap((one) => ('name' in one ? [wordOf(one.name as Node)] : []));
}

/** Names that whoever has this specifier takes from the other file; undefined where it may take all. */
export function namesTaken({ parent }: Node): string[] | undefined {
  if (isImportDeclaration(parent) && parent.importClause) {
    const { name, namedBindings } = parent.importClause;
    return name || !namedBindings || !isNamedImports(namedBindings)
      ? undefined
      : sourcesOf(namedBindings.elements);
  }
  if (isExportDeclaration(parent)) {
    const clause = parent.exportClause;
    return clause && isNamedExports(clause) ? sourcesOf(clause.elements) : undefined;
  }
  if (isImportTypeNode(parent.parent)) {
    const { qualifier } = parent.parent;
    return qualifier && isIdentifier(qualifier) ? [qualifier.text] : undefined;
  }
  // `await import()`: the names behind the dot, or between the braces before it.
  let taker = parent.parent;
  while (isAwaitExpression(taker) || isParenthesizedExpression(taker)) taker = taker.parent;
  if (isPropertyAccessExpression(taker)) return taker.name.text === 'then' ? undefined : [wordOf(taker.name)];
  const pattern = isVariableDeclaration(taker) ? taker.name : undefined;
  return pattern && isObjectBindingPattern(pattern) ? sourcesOf(pattern.elements) : undefined;
}

/** Those of them that are there at run time, where the specifier is an import declaration's. */
export function valuesTaken(specifier: Node): string[] | undefined {
  const { parent } = specifier;
  const clause = isImportDeclaration(parent) ? parent.importClause : undefined;
  if (clause?.phaseModifier === SyntaxKind.TypeKeyword) return [];
  const bindings = clause?.name ? undefined : clause?.namedBindings;
  if (!bindings || !isNamedImports(bindings)) return undefined;
  return sourcesOf(bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly));
}

/** Names as the other file has them: `as` and `:` give others here. */
function sourcesOf(elements: Iterable<{ name?: Node; propertyName?: Node }>): string[] {
  return [...elements].map(({ name, propertyName }) => wordOf(propertyName ?? name));
}

export function wordOf(node: Node | undefined): string {
  if (!node) return '';
  if (isIdentifier(node)) return node.text;
  return isText(node) ? node.text : '';
}

export function isText(node: Node): node is StringLiteral | NoSubstitutionTemplateLiteral {
  return isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node);
}
