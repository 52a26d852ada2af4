import { Template } from '@huggingface/jinja';
import { type Part, typeOf } from '../part.ts';
import type { Report } from '../report.ts';
import { derivedText } from '../text/source-text.ts';
import type { Value } from './variables.ts';

/** First cut: rendered as a whole, positions count in the rendered text. */
export function renderPart(part: Part, variables: Record<string, Value>, report: Report): Part | undefined {
  const newline = part.source.text.indexOf('\n') + 1;
  try {
    const text = new Template(part.source.text.slice(newline)).render(variables);
    const source = derivedText(part.source, [{ text, origin: newline, verbatim: true }]);
    return { ...part, type: typeOf(text) ?? 'text/plain', source };
  } catch (error) {
    report.error(
      'UserDataTemplate',
      `The jinja template cannot be rendered (${error instanceof Error ? error.name : 'unknown'}).`,
      part.source.locate(newline),
    );
    return undefined;
  }
}
