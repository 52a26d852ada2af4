import type { Diagnostics } from '../diagnostics.ts';
import type { SourceText } from '../source-text.ts';
import { Builder } from './builder.ts';
import { Parser } from './parser.ts';
import { scan } from './scan/scanner.ts';
import { YamlSyntaxError, YamlTooLarge } from './scan/syntax-error.ts';
import { checkText } from './scan/text-rules.ts';
import type { YamlNode } from './yaml-node.ts';

/**
 * Reads one YAML 1.1 document like PyYAML's `safe_load`, which cloud-init uses for user data (see
 * docs/decisions/yaml.md). Problems go to `diagnostics`. The time is linear in the text, and limits.ts bounds
 * depth, number of values and expansion of aliases.
 *
 * @returns undefined if `diagnostics` got an error
 */
export function parseYaml(source: SourceText, diagnostics: Diagnostics): YamlNode | undefined {
  if (!checkText(source, diagnostics)) return undefined;
  const before = diagnostics.entries.length;
  try {
    const builder = new Builder(source, diagnostics);
    const built = new Parser(scan(source.text), builder).document();
    const root = built === undefined ? undefined : builder.ordinary(built);
    if (diagnostics.entries.slice(before).some((entry) => entry.severity === 'error')) return undefined;
    return root ?? { kind: 'null', where: source.locate(0) };
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    const code = error instanceof YamlTooLarge ? 'UserDataTooLarge' : 'UserDataSyntax';
    diagnostics.error(code, error.message, source.locate(error.offset));
    return undefined;
  }
}
