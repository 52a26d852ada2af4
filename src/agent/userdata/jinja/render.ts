import type { Piece } from '../../text/source-text.ts';
import { interpret } from './interpret.ts';
import { parseTemplate } from './syntax/parse-template.ts';
import type { Value } from './values/values.ts';

/**
 * Renders a jinja template as cloud-init does: Jinja2 with `trim_blocks` and its sandbox, and names that are not defined
 * show up as `CI_MISSING_JINJA_VAR/name`. Returns the pieces of the result, each with the offset in the template that it
 * came from. Throws `TemplateError`, also for what Slipway leaves out of Jinja2; time, memory and recursion are bounded.
 */
export function renderTemplate(template: string, variables: Map<string, Value>): Piece[] {
  // Jinja2 drops one line break at the end of the template, and cloud-init puts it on again.
  const ending = template.endsWith('\n');
  const body = ending ? template.slice(0, -1) : template;
  const statements = parseTemplate(body);
  const pieces = interpret(statements, variables);
  return ending ? [...pieces, { text: '\n', origin: body.length, verbatim: true }] : pieces;
}
