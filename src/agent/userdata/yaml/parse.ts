import { Composer, type CST, Lexer, Parser, type Document as YamlDocument } from 'yaml';
import { MAX_YAML_DEPTH, MAX_YAML_TOKENS } from '../limits.ts';
import type { Report } from '../report.ts';
import type { SourceText } from '../text/source-text.ts';
import { construct } from './construct.ts';
import { syntaxMessage } from './errors.ts';
import type { Node } from './node.ts';
import { checkText } from './text-rules.ts';

/**
 * Reads one YAML 1.1 document the way PyYAML's `safe_load` does (cloud-init's `util.load_yaml`).
 *
 * The library parses; what scalars mean, merge keys, duplicate keys and aliases are decided in `construct`. Every
 * problem goes to `report`; undefined is returned when one of them is an error. Time and memory are bounded: depth and
 * number of tokens are counted while the lexer runs, before the recursive parts of the library see the document.
 */
export function parseYaml(source: SourceText, report: Report): Node | undefined {
  if (!checkText(source, report)) return undefined;
  const tokens = concreteTokens(source, report);
  if (tokens === undefined) return undefined;
  const documents = compose(tokens);
  const failures = documents
    .flatMap((document) => document.errors)
    .filter((error) => error.code !== 'TAG_RESOLVE_FAILED');
  for (const { code, pos } of failures) {
    report.error('UserDataSyntax', syntaxMessage(code), source.locate(pos[0]));
  }
  if (failures.length > 0) return undefined;
  const second = documents[1];
  if (second !== undefined) {
    report.error('UserDataSyntax', syntaxMessage('MULTIPLE_DOCS'), source.locate(second.range[0]));
    return undefined;
  }
  const first = documents[0];
  if (first === undefined) return { kind: 'null', where: source.locate(0) };
  return construct(first.contents, source, report);
}

/** The concrete syntax tree's top-level tokens; undefined (and an error) when the document passes the bounds. */
function concreteTokens(source: SourceText, report: Report): CST.Token[] | undefined {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let count = 0;
  let offset = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    count += 1;
    offset = parser.offset;
    if (parser.stack.length > MAX_YAML_DEPTH + 2) {
      report.error(
        'UserDataInvalid',
        `The YAML is nested more than ${MAX_YAML_DEPTH} levels deep.`,
        source.locate(offset),
      );
      return undefined;
    }
    if (count > MAX_YAML_TOKENS) {
      const message = `The YAML has more values than is accepted (${MAX_YAML_TOKENS} lexical tokens).`;
      report.error('UserDataTooLarge', message, source.locate(offset));
      return undefined;
    }
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

/** Failsafe schema: every scalar stays the text it is, so that `construct` alone decides what it means. */
function compose(tokens: CST.Token[]): YamlDocument.Parsed[] {
  const composer = new Composer({ version: '1.1', schema: 'failsafe', uniqueKeys: false, strict: true });
  return [...composer.compose(tokens)] as YamlDocument.Parsed[];
}
