import type { Piece } from '../../text/source-text.ts';
import { interpret } from './interpret.ts';
import { parseTemplate } from './syntax/parse-template.ts';
import type { Value } from './values/values.ts';

/**
 * Renders a jinja template like cloud-init: Jinja2 with `trim_blocks` and its sandbox, where undefined names
 * appear as `CI_MISSING_JINJA_VAR/name`. Time, memory and recursion are bounded.
 *
 * @returns the pieces of the result, each with its origin's offset in the template
 * @throws TemplateError also for parts of Jinja2 that Slipway lacks
 */
export function renderTemplate(template: string, variables: Map<string, Value>): Piece[] {
  // Jinja2 drops one line break at the template's end, and cloud-init adds it again.
  const ending = template.endsWith('\n');
  const body = ending ? template.slice(0, -1) : template;
  const statements = parseTemplate(body);
  const pieces = interpret(statements, variables);
  return ending ? [...pieces, { text: '\n', origin: body.length, verbatim: true }] : pieces;
}
